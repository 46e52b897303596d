import { defineError } from "../errors/index.ts";
import type { Cluster } from "../spec/index.ts";
import type { OwnedMachine } from "./contract/owned-machine.ts";

export const addressesTaken = defineError(
  "NET_ADDRESS_TAKEN",
  (f: {
    cluster: Cluster;
    taken: { name: string; address: string; how: string }[];
    /** Another cluster on these hosts whose nodes have the same names. */
    namesake?: string | undefined;
  }) => ({
    what: `Cannot use ${f.taken.length === 1 ? "an address" : `${f.taken.length} addresses`} of "${f.cluster.name}"`,
    why: f.taken.map(({ name, address, how }) => `${address} for ${name} ${how}`).join("; "),
    next: "Write other addresses, or switch off the machines that have these",
    else:
      f.namesake === undefined
        ? undefined
        : `If "${f.cluster.name}" is a new name of "${f.namesake}", whose machines are here, write the old one again: a cluster keeps its name for life`,
    at: f.cluster.at,
  }),
  [{ taken: [{}] }],
);

export const nodesRenamed = defineError(
  "NODE_RENAMED",
  (f: { cluster: Cluster; from: string[]; to: string[] }) => ({
    what: `Cannot rename nodes of "${f.cluster.name}"`,
    why: `${f.to.join(", ")} would get addresses that nodes of the cluster have, and ${f.from.join(", ")} of the cluster are not in the file any more; a node keeps its name for life, in Kubernetes, in etcd and on its machine`,
    next: "Write the old names again, with names: of the pool",
    else: "Give nodes with new names addresses of their own, run up, then take the old ones out of the file and run up again",
    at: f.cluster.at,
  }),
  [{ from: [], to: [] }],
);

export const vlanSettled = defineError(
  "NET_VLAN_SETTLED",
  (f: { cluster: string; from: string; to: string }) => ({
    what: `Cannot move the machines of "${f.cluster}" to another VLAN`,
    why: `they are in VLAN ${f.from}, the file asks for ${f.to}; each machine that moves loses contact with all others at once, etcd too, and Slipway could not wait for it to come back`,
    next: f.from === "none" ? "Take vlan out of the file again" : `Write vlan: ${f.from} again`,
    else: "Move it by hand: shut all machines down, set the VLAN of each in the hypervisor, write it into the file, run up",
  }),
  [{ from: "none" }],
);

export const nodeTwice = defineError(
  "RUN_NODE_TWICE",
  (f: { cluster: string; node: string; machines: OwnedMachine[] }) => ({
    what: `Cannot go on with two machines for "${f.node}"`,
    why: `${byNumber(f.machines).map(asText).join(" and ")} both are ${f.node} of "${f.cluster}", with one MAC and one address; running together they would break each other`,
    next: `Keep the one that Kubernetes knows and remove the other in the hypervisor, after a look at its data disks`,
    else: `See which one is which: slipway status ${f.cluster}`,
  }),
);

const byNumber = (machines: OwnedMachine[]): OwnedMachine[] =>
  machines.toSorted((a, b) => (a.id ?? 0) - (b.id ?? 0));

const asText = ({ id, node, on, isRunning }: OwnedMachine): string =>
  `machine ${id ?? node} on ${on} (${isRunning ? "running" : "stopped"})`;
