import type { Random } from "../lib/index.ts";
import { encryptAge, isAgeFile, type Readers } from "./age-file.ts";
import type { AgeKeys } from "./age-keys.ts";
import { fileNotEncrypted } from "./errors.ts";
import { openAge } from "./open-age.ts";
import { isSopsFile, readSops, writeSopsBinary, writeSopsYaml } from "./sops-file.ts";

/** How a file lies on disk. Its name says it, so that git can be told to take the encrypted ones only. */
export type Form = "plain" | "age" | "sops";

export const forms: readonly Form[] = ["plain", "age", "sops"];

/** `secrets.yaml` is `secrets.yaml.age` or `secrets.sops.yaml`; a file that is no YAML ends with `.sops`. */
export function nameInForm(name: string, form: Form): string {
  if (form === "plain") return name;
  if (form === "age") return `${name}.age`;
  return name.endsWith(".yaml") ? name.replace(/\.yaml$/, ".sops.yaml") : `${name}.sops`;
}

/** The name it has as a plain file, and its form. */
export function formOf(name: string): { name: string; form: Form } {
  if (name.endsWith(".age")) return { name: name.slice(0, -4), form: "age" };
  if (name.endsWith(".sops")) return { name: name.slice(0, -5), form: "sops" };
  if (name.endsWith(".sops.yaml")) return { name: name.replace(/\.sops\.yaml$/, ".yaml"), form: "sops" };
  return { name, form: "plain" };
}

/** What git may take below `.slipway`: names that only encrypted files have. */
export const gitignore = ["*", "!.gitignore", "!*/", "!*.age", "!*.sops", "!*.sops.yaml", ""].join("\n");

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
