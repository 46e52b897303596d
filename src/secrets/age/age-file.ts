import type { Encrypter } from "age-encryption";
import { whileTimeStands, type Random } from "../../lib/index.ts";
import type { AgeKeys } from "./file-key.ts";
import { passphraseRecipient } from "./passphrase.ts";
import { sshRecipient } from "./ssh-keys.ts";

/** Who may open a file: keys, or one passphrase, made slow to guess by `work`. */
export type Readers = { recipients: string[] } | { passphrase: string; work?: number };

/** Loaded when something is encrypted: a run without it does not wait for it. */
export const loadAge = () => whileTimeStands(() => import("age-encryption"));

const beginning = "-----BEGIN AGE ENCRYPTED FILE-----";
const binaryBeginning = "age-encryption.org/v1\n";

/** Text and bytes alike; `age` writes bytes unless it is told otherwise. */
export const isAgeFile = (bytes: Buffer): boolean =>
  [beginning, binaryBeginning].some((known) => bytes.subarray(0, known.length).toString("latin1") === known);

/** The content as an age file of text. */
export async function encryptAge(content: Uint8Array, readers: Readers, random: Random): Promise<string> {
  const age = await loadAge();
  const encrypter = new age.Encrypter();
  addReaders(encrypter, readers, random, age);
  return age.armor.encode(await whileTimeStands(() => encrypter.encrypt(content)));
}

/** Those who may open what is encrypted from now on. */
export function addReaders(
  encrypter: Encrypter,
  readers: Readers,
  random: Random,
  { Stanza }: Awaited<ReturnType<typeof loadAge>>,
): void {
  const tools = { random, makeStanza: (args: string[], body: Uint8Array) => new Stanza(args, body) };
  if ("passphrase" in readers) encrypter.addRecipient(passphraseRecipient(readers, tools));
  else
    for (const line of readers.recipients)
      encrypter.addRecipient(line.startsWith("ssh-") ? sshRecipient(line, tools) : line);
}

/** The content; undefined when none of the keys fits. Throws when the file was changed since it was written. */
export async function decryptAge(file: Buffer, keys: AgeKeys): Promise<Buffer | undefined> {
  const { Decrypter, armor } = await loadAge();
  const isText = file.subarray(0, beginning.length).toString("latin1") === beginning;
  const bytes = isText ? armor.decode(file.toString("latin1")) : new Uint8Array(file);
  for await (const identity of keys.identities()) {
    const decrypter = new Decrypter();
    decrypter.addIdentity(identity);
    try {
      return Buffer.from(await whileTimeStands(() => decrypter.decrypt(bytes)));
    } catch (thrown) {
      if (!isNoMatch(thrown)) throw thrown;
    }
  }
  return undefined;
}

export const isNoMatch = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.message.startsWith("no identity matched");
