import { createHash } from "node:crypto";

const pageBytes = 512;
const hashBytes = 32;
/** Of bbolt, the file format of etcd's database: behind the 16 bytes every page begins with. */
const magic = 0xed0cdaed;
const magicAt = 16;
const headBytes = magicAt + 8;

/**
 * Reads an etcd snapshot as it passes by, and says at its end whether it is whole. A stream that was cut looks like one that
 * has ended; only the SHA-256 behind the database tells.
 */
export class SnapshotProof {
  readonly #hash = createHash("sha256");
  #head: Buffer = Buffer.alloc(0);
  /** The last bytes so far: perhaps the hash, which is no part of what is hashed. */
  #tail: Buffer = Buffer.alloc(0);
  sizeBytes = 0;

  update(part: Uint8Array): void {
    this.sizeBytes += part.length;
    if (this.#head.length < headBytes)
      this.#head = Buffer.concat([this.#head, part.subarray(0, headBytes - this.#head.length)]);
    if (part.length < hashBytes) return this.#updateSmall(part);
    this.#hash.update(this.#tail);
    this.#hash.update(part.subarray(0, -hashBytes));
    this.#tail = Buffer.from(part.subarray(-hashBytes));
  }

  #updateSmall(part: Uint8Array): void {
    const both = Buffer.concat([this.#tail, part]);
    this.#hash.update(both.subarray(0, -hashBytes));
    this.#tail = both.subarray(-hashBytes);
  }

  /** Of all that came, the hash behind the database included. Asked before `trouble`. */
  sha256(): string {
    return this.#hash.copy().update(this.#tail).digest("hex");
  }

  /** What is wrong with all that came; undefined when nothing is. Asked once, at the end. */
  trouble(): string | undefined {
    if (this.sizeBytes === 0) return "nothing came";
    if (this.sizeBytes <= hashBytes || this.sizeBytes % pageBytes !== hashBytes) return "cut short";
    if (!this.#hash.digest().equals(this.#tail)) return "damaged on its way";
    const isBolt = this.#head.readUInt32LE(magicAt) === magic && this.#head.readUInt32LE(magicAt + 4) === 2;
    return isBolt ? undefined : "not a database of etcd";
  }
}

/** The snapshot as it passes by; throws what `fail` makes of the reason when its end shows that it is not whole. */
export async function* provenSnapshot(
  parts: AsyncIterable<Uint8Array>,
  fail: (why: string) => Error,
): AsyncGenerator<Uint8Array> {
  const proof = new SnapshotProof();
  for await (const part of parts) {
    proof.update(part);
    yield part;
  }
  const why = proof.trouble();
  if (why !== undefined) throw fail(why);
}
