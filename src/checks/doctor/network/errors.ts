import { defineError } from "../../../errors/index.ts";
import type { Of } from "../errors.ts";
import { listed } from "../text.ts";

export const networkMissing = defineError("DOCTOR_NETWORK_MISSING", (f: Of) => ({
  what: `No pod network is installed in "${f.cluster}"`,
  why: "no daemon set writes a CNI config, so no node becomes Ready and no pod starts",
  next: `Run "slipway up ${f.cluster}", which installs the one in the file`,
}));

export const twoNetworks = defineError("DOCTOR_TWO_NETWORKS", (f: Of & { names: string[] }) => ({
  what: `${listed(f.names)} both want to be the pod network of "${f.cluster}"`,
  why: "two agents write CNI configs on the same nodes, and the kubelet takes whichever it reads first",
  next: `Remove the one that is not in the file, for example: kubectl -n kube-system delete daemonset ${f.names.at(-1)}`,
}));

export const networkNotReady = defineError(
  "DOCTOR_NETWORK_NOT_READY",
  (f: Of & { agent: string; why: string }) => ({
    what: `The pod network "${f.agent}" does not come up on every node`,
    why: f.why,
    next: /KubePrism|7445/.test(f.why)
      ? `Let the agent reach the API through KubePrism (machine.features.kubePrism, port 7445): run "slipway up ${f.cluster}", or take the patch that switches it off out of the file`
      : `See what its agent says: kubectl -n kube-system logs daemonset/${f.agent} --all-containers`,
  }),
  [{ why: "KubePrism" }],
);

export const dnsMissing = defineError("DOCTOR_DNS_MISSING", (f: Of & { whoBringsIt: string }) => ({
  what: `"${f.cluster}" has no cluster DNS`,
  why: "no workload in kube-system carries the label k8s-app=kube-dns",
  next: `Run "slipway up ${f.cluster}"; ${f.whoBringsIt}`,
}));

export const dnsUnreachable = defineError(
  "DOCTOR_DNS_NOT_READY",
  (f: Of & { pod: string; node: string; why: string }) => ({
    what: `Cluster DNS runs, but ${f.pod} on ${f.node} does not answer`,
    why: f.why,
    next: `See what it says: kubectl -n kube-system logs ${f.pod}; often the servers it forwards to do not answer`,
  }),
);

export const podNetworkBroken = defineError(
  "DOCTOR_POD_NETWORK_BROKEN",
  (f: Of & { node: string; others: string[]; why: string; mtu: number | undefined }) => ({
    what: `Pods on ${f.node} are not reached from other nodes`,
    why: `${f.why}; the agents run, so packets are lost on the way between ${f.node} and ${listed(f.others)}`,
    next: `Let the nodes reach each other on the network's port (VXLAN: UDP 8472 or 4789, Geneve: UDP 6081), and compare the MTU of their NICs${f.mtu === undefined ? "" : ` (the file says ${f.mtu})`}`,
  }),
);
