import { randomBytes } from "node:crypto";

/** Randomness, passed in so that tests can fix it. */
export interface Random {
  bytes(count: number): Buffer;
}

export const realRandom: Random = { bytes: (count) => randomBytes(count) };
