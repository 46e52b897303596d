import { createCipheriv, createDecipheriv } from "node:crypto";

/** The part of an age file that is meant for one key. */
export interface AgeStanza {
  readonly args: string[];
  readonly body: Uint8Array;
}

/** The words of the age library, in types of our own: whoever uses Slipway as a library does not have it. */
export interface AgeIdentity {
  unwrapFileKey(stanzas: AgeStanza[]): Promise<Uint8Array | null>;
}

/** One way to open a file: the text of a key, or something that can tell its own part of a file. */
export type AgeKey = string | AgeIdentity;

/** The keys of the person who runs Slipway. */
export interface AgeKeys {
  /** One after the other, those that ask a question last. */
  identities(): AsyncIterable<AgeKey>;
  /** Where they are looked for, in words. */
  places: string[];
}

/** How every kind of age key wraps the key of a file. */
export function wrapFileKey(fileKey: Uint8Array, key: Buffer): Buffer {
  const cipher = createCipheriv("chacha20-poly1305", key, Buffer.alloc(12), { authTagLength: 16 });
  return Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined when it was wrapped with another key. */
export function unwrapFileKey(body: Uint8Array, key: Buffer): Buffer | undefined {
  if (body.length !== 32) return undefined;
  const cipher = createDecipheriv("chacha20-poly1305", key, Buffer.alloc(12), { authTagLength: 16 });
  cipher.setAuthTag(body.subarray(16));
  try {
    return Buffer.concat([cipher.update(body.subarray(0, 16)), cipher.final()]);
  } catch {
    return undefined;
  }
}

export const unpadded = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");
