import { wildcard } from "./wildcard.ts";

/** What can be wrong inside a simulated Kubernetes cluster for as long as the fault stands. */
export const clusterFaultKinds = [
  "image-pull",
  "crash-loop",
  "never-ready",
  "unschedulable",
  "cni-not-ready",
  "webhook-down",
  "dns-broken",
  "pod-network-broken",
  "provisioner-failing",
  "csr-never-approved",
  "node-not-ready",
  "etcd-alarm",
  "etcd-slow",
  "learner-stuck",
  "name-unknown",
  "authority-differs",
  "registration-stuck",
  "removal-stuck",
] as const;

export type ClusterFaultKind = (typeof clusterFaultKinds)[number];

/**
 * A standing fault. `image`, `workload`, `node`, `peer` and `name` narrow it down; all that are given must fit, `*` stands for
 * any run of characters. A workload is `namespace/name` or a name alone; the names of its pods and of a webhook's service, a
 * claim's storage class or a request's node fit too.
 *
 * image-pull: the image cannot be pulled · crash-loop: containers end with `exitCode` after printing `log` · never-ready: the
 * readiness probe fails · unschedulable: no node fits · cni-not-ready: the CNI agent of the node never becomes ready ·
 * webhook-down: its service does not answer · dns-broken: cluster DNS does not answer (on `node`) · pod-network-broken: pods of
 * `node` and `peer` do not reach each other · provisioner-failing: claims of the storage class stay pending ·
 * csr-never-approved: no approver in the cluster approves · node-not-ready: the kubelet stays NotReady · etcd-alarm: NOSPACE,
 * writes are refused · etcd-slow: every write takes `slowMs` · learner-stuck: etcd on `node` never may vote (K3s) ·
 * name-unknown: pods of `workload` get no address for `name` · authority-differs: the agent that registers a cluster with
 * Rancher finds another authority there than it was told · registration-stuck: a cluster (`workload` is `fleet-default/NAME`)
 * connects to Rancher and never becomes ready · removal-stuck: it keeps its finalizers when it is deleted.
 */
export interface ClusterFault {
  kind: ClusterFaultKind;
  image?: string | undefined;
  workload?: string | undefined;
  node?: string | undefined;
  peer?: string | undefined;
  name?: string | undefined;
  exitCode?: number | undefined;
  log?: string | undefined;
  /** In place of the usual words of the real system. */
  message?: string | undefined;
  slowMs?: number | undefined;
}

/** What is looked at: a fault strikes when everything it names fits. */
export interface FaultTarget {
  image?: string | undefined;
  workload?: string | undefined;
  node?: string | undefined;
  peer?: string | undefined;
  name?: string | undefined;
}

/** The faults that stand now. They may come and go while the cluster runs; its controllers look again each time. */
export interface ClusterFaults {
  find(kind: ClusterFaultKind, target?: FaultTarget): ClusterFault | undefined;
  add(...faults: ClusterFault[]): void;
  /** Ends all faults of a kind, or all. */
  clear(kind?: ClusterFaultKind): void;
  onChange(listener: () => void): () => void;
}

export function clusterFaults(initial: ClusterFault[] = []): ClusterFaults {
  let standing = [...initial];
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  return {
    find: (kind, target = {}) => standing.find((fault) => fault.kind === kind && strikes(fault, target)),
    add(...faults) {
      standing = [...standing, ...faults];
      tell();
    },
    clear(kind) {
      standing = kind === undefined ? [] : standing.filter((fault) => fault.kind !== kind);
      tell();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function strikes(fault: ClusterFault, target: FaultTarget): boolean {
  if (!fits(fault.image, target.image) || !fitsWorkload(fault.workload, target.workload)) return false;
  if (!fits(fault.name, target.name)) return false;
  const straight = fits(fault.node, target.node) && fits(fault.peer, target.peer);
  // A broken path is broken both ways.
  return (
    straight || (target.peer !== undefined && fits(fault.node, target.peer) && fits(fault.peer, target.node))
  );
}

const fits = (pattern: string | undefined, value: string | undefined): boolean =>
  pattern === undefined || (value !== undefined && wildcard(pattern).test(value));

const fitsWorkload = (pattern: string | undefined, value: string | undefined): boolean =>
  pattern === undefined || fits(pattern.includes("/") ? pattern : `*/${pattern}`, value);
