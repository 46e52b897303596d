import { createCipheriv, createHash, randomBytes } from "node:crypto";

/** Randomness, passed in so that tests can fix it. */
export interface Random {
  bytes(count: number): Buffer;
}

export const realRandom: Random = { bytes: (count) => randomBytes(count) };

/** The same bytes every time: for what is thrown away, never for what protects anything. */
export function seededRandom(seed: string): Random {
  const stream = createCipheriv("aes-256-ctr", createHash("sha256").update(seed).digest(), Buffer.alloc(16));
  return { bytes: (count) => stream.update(Buffer.alloc(count)) };
}

/** A UUID of the fourth kind. */
export function randomUuid(random: Random): string {
  const bytes = random.bytes(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
