import { scrypt } from "node:crypto";
import type { Recipient, Stanza } from "age-encryption";
import type { Random } from "../../lib/index.ts";
import { type AgeIdentity, unpadded, unwrapFileKey, wrapFileKey } from "./file-key.ts";

/**
 * Files closed with a passphrase. Not the library's own way, which takes four times as long for the same work: a cluster
 * has many such files, and each of them has its own salt.
 */
const kind = "scrypt";
const label = Buffer.from("age-encryption.org/v1/scrypt");
/** As the age program takes it; twice the work for each step. */
const usualWork = 18;
const mostWork = 22;

export const passphraseRecipient = (
  { passphrase, work = usualWork }: { passphrase: string; work?: number },
  { random, makeStanza }: { random: Random; makeStanza: (args: string[], body: Uint8Array) => Stanza },
): Recipient => ({
  async wrapFileKey(fileKey) {
    const salt = random.bytes(16);
    const key = await derive(passphrase, salt, work);
    return [makeStanza([kind, unpadded(salt), String(work)], wrapFileKey(fileKey, key))];
  },
});

/** `passphrase` is asked for only when the file was closed with one. */
export const passphraseIdentity = (passphrase: () => Promise<string | undefined>): AgeIdentity => ({
  async unwrapFileKey(stanzas) {
    const [stanza] = stanzas;
    if (!stanza || stanza.args[0] !== kind || stanzas.length > 1) return null;
    const [, salt = "", work = ""] = stanza.args;
    if (!/^[1-9]\d?$/.test(work) || Number(work) > mostWork) return null;
    const text = await passphrase();
    if (text === undefined) return null;
    const key = await derive(text, Buffer.from(salt, "base64"), Number(work));
    return unwrapFileKey(stanza.body, key) ?? null;
  },
});

const derive = (passphrase: string, salt: Buffer, work: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const cost = 2 ** work;
    const options = { N: cost, r: 8, p: 1, maxmem: 128 * 8 * cost * 2 };
    scrypt(passphrase, Buffer.concat([label, salt]), 32, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
