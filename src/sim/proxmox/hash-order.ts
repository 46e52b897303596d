import { createHash } from "node:crypto";
import type { Random } from "../../lib/index.ts";
import type { Cluster } from "./cluster.ts";

/** The server keeps many things in hashes, so it names them in another order each time. */
export function inHashOrder<T>(cluster: Pick<Cluster, "random">, items: readonly T[]): T[] {
  const dice = cluster.random.bytes(4 * items.length);
  return items
    .map((item, index) => ({ item, at: dice.readUInt32BE(4 * index) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** Draws from the given randomness once; what comes of it does not change what others draw. */
export function ownChance(random: Random): Random {
  const seed = random.bytes(32);
  let drawn = 0;
  const block = () =>
    createHash("sha256")
      .update(seed)
      .update(String((drawn += 1)))
      .digest();
  return {
    bytes: (count) => {
      const blocks = Array.from({ length: Math.ceil(count / 32) }, block);
      return Buffer.concat(blocks).subarray(0, count);
    },
  };
}
