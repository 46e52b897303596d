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

export const vlanSettled = (f: { cluster: string; from: string; to: string }): SlipwayError =>
  new SlipwayError({
    code: "NET_VLAN_SETTLED",
    what: `Cannot move the machines of "${f.cluster}" to another VLAN`,
    why: `they are in VLAN ${f.from}, the file asks for ${f.to}; each machine that moves loses all others at once, etcd among them, and nobody waits for it to come back`,
    next: f.from === "none" ? "Take vlan out of the file again" : `Write vlan: ${f.from} again`,
    else: "Move it by hand: shut all machines down, set the VLAN of each in the hypervisor, write it into the file, run up",
  });
