import { createPrivateKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { keyMissing, keyNotUnderstood, passphraseWrong } from "./errors.ts";
import { opensshEd25519, readSshString } from "../../lib/index.ts";

/** Where a private key comes from. The passphrase is asked for only when the key turns out to need it. */
export type KeySource = ({ file: string } | { name: string; text: string }) & {
  passphrase?: (() => Promise<string>) | undefined;
  /** Asks a person, when nothing else has let us in; once more where the last answer did not open it. */
  ask?: ((isAgain: boolean) => Promise<string>) | undefined;
};

/** A private key in a form that the SSH library takes. */
export interface PrivateKey {
  name: string;
  text: string;
  passphrase?: string;
  /** It is protected, and nobody has said by what. */
  isLocked?: true;
}

export async function loadKey(source: KeySource): Promise<PrivateKey> {
  const name = "file" in source ? source.file : source.name;
  const text = "file" in source ? await readKeyFile(source.file) : source.text;
  if (!isProtected(text)) return { name, text: inOpenSshForm(name, text) };
  if (!source.passphrase) return { name, text, isLocked: true };
  const passphrase = await source.passphrase();
  if (!text.includes(pkcs8Label)) return { name, text, passphrase };
  return { name, text: inOpenSshForm(name, text, passphrase) };
}

async function readKeyFile(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw keyMissing({ name: file, cause });
  }
}

const pkcs8Label = "-----BEGIN ENCRYPTED PRIVATE KEY-----";
const opening = "-----BEGIN OPENSSH PRIVATE KEY-----";
const magic = "openssh-key-v1\0";

function isProtected(text: string): boolean {
  if (text.includes(pkcs8Label) || /^Proc-Type: 4,ENCRYPTED/m.test(text)) return true;
  const bytes = opensshBytes(text);
  return bytes !== undefined && readSshString(bytes, magic.length).content.toString() !== "none";
}

function opensshBytes(text: string): Buffer | undefined {
  const [, after] = text.split(opening);
  return after === undefined ? undefined : Buffer.from(after.split("-----")[0] ?? "", "base64");
}

/** Of a key that never leaves a security key (FIDO), the file holds but a handle; which kind it is, is never protected. */
export function isOnSecurityKey(text: string): boolean {
  const bytes = opensshBytes(text);
  if (!bytes) return text.startsWith("sk-");
  const at = ["cipher", "kdf", "its options"].reduce((end) => readSshString(bytes, end).end, magic.length);
  const { content } = readSshString(bytes, at + 4);
  return readSshString(content).content.toString("latin1").startsWith("sk-");
}

/** PKCS#8 (`BEGIN PRIVATE KEY`, what OpenSSL and most libraries write) is rewritten; everything else is left alone. */
function inOpenSshForm(name: string, text: string, passphrase?: string): string {
  if (!/-----BEGIN (ENCRYPTED )?PRIVATE KEY-----/.test(text)) return text;
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: text, passphrase });
  } catch {
    if (passphrase !== undefined) throw passphraseWrong({ name });
    throw keyNotUnderstood({ name, reason: "it says PRIVATE KEY and is none" });
  }
  switch (key.asymmetricKeyType) {
    case "ed25519":
      return opensshEd25519(key);
    case "rsa":
      return key.export({ type: "pkcs1", format: "pem" }).toString();
    case "ec":
      return key.export({ type: "sec1", format: "pem" }).toString();
    default: {
      const reason = `SSH knows no keys of type ${key.asymmetricKeyType ?? "unknown"}`;
      throw keyNotUnderstood({ name, reason });
    }
  }
}
