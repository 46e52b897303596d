import { readFile } from "node:fs/promises";
import type { Hop } from "./connect-through.ts";
import { isVouchedFor, knownName } from "./known-hosts.ts";
import { isOnSecurityKey } from "./private-key.ts";

/** What our own SSH cannot do and the ssh program can, in words to stand before "which only your own ssh can use". */
export async function onlyByProgram(hop: Hop): Promise<string | undefined> {
  const { certificates = [], keys = [], knownHosts, host, port = 22 } = hop;
  const [certificate] = certificates;
  if (certificate !== undefined) return `your key has a certificate (${certificate})`;
  const files = keys.flatMap((key) => ("file" in key ? [key.file] : []));
  const texts = await Promise.all(files.map(read));
  const onSecurityKey = files.find((_, index) => isOnSecurityKey(texts[index] ?? ""));
  if (onSecurityKey !== undefined) return `${onSecurityKey} lies on a security key`;
  // A certificate counts for all ports of its host.
  const names = [knownName({ host, port }), knownName({ host, port: 22 })];
  for (const file of knownHosts.files) {
    const text = await read(file);
    if (names.some((name) => isVouchedFor(text, name)))
      return `${file} names an authority for it (@cert-authority)`;
  }
  return undefined;
}

const read = (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");
