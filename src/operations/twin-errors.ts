import { SlipwayError } from "../errors/index.ts";
import type { OwnedMachine } from "../plan/index.ts";

export const nodeTwice = (f: { cluster: string; node: string; machines: OwnedMachine[] }) =>
  new SlipwayError({
    code: "RUN_NODE_TWICE",
    what: `Cannot go on with two machines for "${f.node}"`,
    why: `${f.machines.map(inWords).join(" and ")} both are ${f.node} of "${f.cluster}", with one MAC and one address; running together they would break each other`,
    next: `Keep the one that Kubernetes knows and remove the other in the hypervisor, after a look at its data disks`,
    else: `See which one is which: slipway status ${f.cluster}`,
  });

const inWords = ({ vmid, on, isRunning }: OwnedMachine): string =>
  `machine ${vmid} on ${on} (${isRunning ? "running" : "stopped"})`;

export const nodeMayLive = (f: { cluster: string; node: string; why: string; isMember: boolean }) =>
  new SlipwayError({
    code: "RUN_NODE_MAY_LIVE",
    what: `Cannot make a new machine for "${f.node}"`,
    why: `${f.why}; a second ${f.node} would take its address, and both would run when the first comes back`,
    next: `Bring the place back where ${f.node} was, and put it back into the file if it was taken out`,
    else: f.isMember
      ? `If it is gone for good: talosctl etcd remove-member ID (talosctl etcd members shows it), kubectl delete node ${f.node}, and take its host out of the hypervisors' cluster`
      : `If it is gone for good: kubectl delete node ${f.node}, and take its host out of the hypervisors' cluster`,
  });
