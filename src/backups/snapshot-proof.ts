import { createHash } from "node:crypto";
import { HashThread, type Digests } from "../lib/index.ts";

const pageBytes = 512;
const hashBytes = 32;
/** Of bbolt, the file format of etcd's database: behind the 16 bytes every page begins with. */
const magic = 0xed0cdaed;
const magicAt = 16;
const headBytes = magicAt + 8;
/** From here on a thread for the hash is worth its start. */
const muchBytes = 4 * 1024 * 1024;

/** What all that came turned out to be. */
export interface Proven {
  sizeBytes: number;
  /** Of all of it, the hash behind the database included. */
  sha256: string;
  /** What is wrong with it as a snapshot of etcd; undefined when nothing is. */
  trouble: string | undefined;
}

/**
 * Reads an etcd snapshot as it passes by, and says at its end whether it is whole. A stream that was cut looks like one that
 * has ended; only the SHA-256 behind the database tells. Its parts must stay as they are until the end.
 */
export class SnapshotProof implements AsyncDisposable {
  /** Little is hashed at the end. */
  #held: Uint8Array[] = [];
  #thread: HashThread | undefined;
  #head: Buffer = Buffer.alloc(0);
  /** The last bytes so far: perhaps the hash, which is no part of what is hashed. */
  #tail: Buffer = Buffer.alloc(0);
  #sizeBytes = 0;

  async update(part: Uint8Array): Promise<void> {
    this.#sizeBytes += part.length;
    if (this.#head.length < headBytes)
      this.#head = Buffer.concat([this.#head, part.subarray(0, headBytes - this.#head.length)]);
    if (part.length < hashBytes) {
      const both = Buffer.concat([this.#tail, part]);
      this.#tail = both.subarray(-hashBytes);
      return this.#hash(both.subarray(0, -hashBytes));
    }
    const before = this.#tail;
    this.#tail = Buffer.from(part.subarray(-hashBytes));
    await this.#hash(before);
    await this.#hash(part.subarray(0, -hashBytes));
  }

  async #hash(part: Uint8Array): Promise<void> {
    if (this.#thread) return this.#thread.update(part);
    this.#held.push(part);
    if (this.#sizeBytes < muchBytes) return;
    this.#thread = new HashThread();
    for (const held of this.#held.splice(0)) await this.#thread.update(held);
  }

  /** Asked once. */
  async end(): Promise<Proven> {
    const { body, whole } = (await this.#thread?.digests(this.#tail)) ?? this.#digests();
    return {
      sizeBytes: this.#sizeBytes,
      sha256: whole.toString("hex"),
      trouble: this.#trouble(body),
    };
  }

  #digests(): Digests {
    const hash = createHash("sha256");
    for (const part of this.#held) hash.update(part);
    const whole = hash.copy().update(this.#tail).digest();
    return { body: hash.digest(), whole };
  }

  #trouble(body: Buffer): string | undefined {
    if (this.#sizeBytes === 0) return "nothing came";
    if (this.#sizeBytes <= hashBytes || this.#sizeBytes % pageBytes !== hashBytes) return "cut short";
    if (!body.equals(this.#tail)) return "damaged on its way";
    const isBolt = this.#head.readUInt32LE(magicAt) === magic && this.#head.readUInt32LE(magicAt + 4) === 2;
    return isBolt ? undefined : "not a database of etcd";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.close();
  }
}

/** The snapshot as it passes by; throws what `fail` makes of the reason when its end shows that it is not whole. */
export async function* provenSnapshot(
  parts: AsyncIterable<Uint8Array>,
  fail: (why: string) => Error,
): AsyncGenerator<Uint8Array> {
  await using proof = new SnapshotProof();
  for await (const part of parts) {
    await proof.update(part);
    yield part;
  }
  const { trouble } = await proof.end();
  if (trouble !== undefined) throw fail(trouble);
}
