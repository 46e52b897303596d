import { readFile } from "node:fs/promises";
import type { JumpHost } from "./connect-through.ts";
import { isKnownByKey, isVouchedFor, knownName } from "./config/known-hosts.ts";
import { isOnSecurityKey } from "./private-key.ts";

/** What our own SSH cannot do and the ssh program can, in words to stand before "which only your own ssh can use". */
export async function onlyByProgram(jumpHost: JumpHost): Promise<string | undefined> {
  const { certificates = [], keys = [], knownHosts, host, port = 22 } = jumpHost;
  const [certificate] = certificates;
  if (certificate !== undefined) return `your key has a certificate (${certificate})`;
  const files = keys.flatMap((key) => ("file" in key ? [key.file] : []));
  const texts = await Promise.all(files.map(read));
  const onSecurityKey = files.find((_, index) => isOnSecurityKey(texts[index] ?? ""));
  if (onSecurityKey !== undefined) return `${onSecurityKey} lies on a security key`;
  const name = knownName({ host, port });
  // A certificate counts for all ports of its host.
  const names = [name, knownName({ host, port: 22 })];
  const known = await Promise.all(knownHosts.files.map(read));
  if (known.some((text) => isKnownByKey(text, name))) return undefined;
  const at = known.findIndex((text) => names.some((each) => isVouchedFor(text, each)));
  return at === -1 ? undefined : `${knownHosts.files[at]} names an authority for it (@cert-authority)`;
}

const read = (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");
