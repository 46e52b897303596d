import { SlipwayError } from "../errors/index.ts";
import type { Cluster } from "../spec/index.ts";

export const addressesTaken = (f: {
  cluster: Cluster;
  taken: { name: string; address: string; how: string }[];
}): SlipwayError =>
  new SlipwayError({
    code: "NET_ADDRESS_TAKEN",
    what: `Cannot use ${f.taken.length === 1 ? "an address" : `${f.taken.length} addresses`} of "${f.cluster.name}"`,
    why: f.taken.map(({ name, address, how }) => `${address} for ${name} ${how}`).join("; "),
    next: "Write other addresses, or switch off whoever has these",
    at: f.cluster.at,
  });
