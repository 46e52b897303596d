import { SlipwayError } from "../errors/index.ts";
import type { Cluster } from "../spec/index.ts";
import type { OwnedMachine } from "./provider.ts";

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

export const nodeTwice = (f: { cluster: string; node: string; machines: OwnedMachine[] }) =>
  new SlipwayError({
    code: "RUN_NODE_TWICE",
    what: `Cannot go on with two machines for "${f.node}"`,
    why: `${byNumber(f.machines).map(inWords).join(" and ")} both are ${f.node} of "${f.cluster}", with one MAC and one address; running together they would break each other`,
    next: `Keep the one that Kubernetes knows and remove the other in the hypervisor, after a look at its data disks`,
    else: `See which one is which: slipway status ${f.cluster}`,
  });

const byNumber = (machines: OwnedMachine[]): OwnedMachine[] => machines.toSorted((a, b) => a.vmid - b.vmid);

const inWords = ({ vmid, on, isRunning }: OwnedMachine): string =>
  `machine ${vmid} on ${on} (${isRunning ? "running" : "stopped"})`;
