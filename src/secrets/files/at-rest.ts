import type { Random } from "../../lib/index.ts";
import { encryptAge, isAgeFile, type Readers } from "../age/age-file.ts";
import type { AgeKeys } from "../age/file-key.ts";
import { fileNotEncrypted } from "../errors.ts";
import type { Form } from "./file-forms.ts";
import { openAge } from "../age/open-age.ts";
import { isSopsFile, readSops, writeSopsBinary, writeSopsYaml } from "../sops/sops-file.ts";

export interface Encryption {
  form: "age" | "sops";
  readers: Readers;
}

export async function encode(
  text: string,
  name: string,
  encryption: Encryption | undefined,
  { random, now }: { random: Random; now: number },
): Promise<string> {
  if (!encryption) return text;
  const { form, readers } = encryption;
  if (form === "age" || "passphrase" in readers) return encryptAge(Buffer.from(text), readers, random);
  const writing = { ...readers, random, now };
  return name.endsWith(".yaml") ? writeSopsYaml(text, writing) : writeSopsBinary(text, writing);
}

/** `file` is how messages name it. */
export async function decode(bytes: Buffer, form: Form, file: string, keys: AgeKeys): Promise<string> {
  if (form === "plain") return bytes.toString("utf8");
  if (form === "age") return (await openAge(bytes, file, keys)).toString("utf8");
  const text = bytes.toString("utf8");
  if (!isSopsFile(text)) throw fileNotEncrypted({ file, how: "SOPS" });
  return (await readSops(text, file, keys)).text;
}

/** What a file is, whatever its name says. */
export function formIn(bytes: Buffer): Form {
  if (isAgeFile(bytes)) return "age";
  return isSopsFile(bytes.toString("utf8")) ? "sops" : "plain";
}

/** Whether the content is what the name promises, without opening it. */
export const isAsNamed = (bytes: Buffer, form: Form): boolean => form === "plain" || formIn(bytes) === form;
