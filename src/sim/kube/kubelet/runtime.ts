import type { KubeStore } from "../store/store.ts";

/** What one container went through so far. */
export interface ContainerRun {
  restarts: number;
  /** When it is tried again, on the cluster's clock. */
  retryAtMs: number;
  /** How often its image could not be pulled. */
  failedPulls: number;
}

/** How a container ends that is run to its end. */
export interface Outcome {
  exitCode: number;
  output: string;
  tookMs: number;
  /** It gave up, though it was meant to run for ever. */
  hasFailed?: boolean;
}

/** How far the kubelet is with a pod. */
export interface PodRun {
  /** When its images are there and its containers run. */
  runsAtMs: number | undefined;
  /** When all that its commands do is done. */
  endsAtMs: number | undefined;
  containers: Map<string, ContainerRun>;
}

/** What lives on the nodes and not in etcd: it is gone when the simulation ends. */
export interface Runtime {
  /** What containers printed, by pod uid and container name. */
  logs: Map<string, string>;
  /** Files on claims and host folders, by volume and path. */
  files: Map<string, Map<string, string>>;
  /** `node image` that has been pulled. */
  images: Set<string>;
  /** By pod uid. */
  pods: Map<string, PodRun>;
  /** Kubelets that run, and when each is done with its own start. Nodes without an entry are as somebody set them. */
  kubelets: Map<string, { readyAtMs: number; hasOwnNetwork: boolean }>;
  /** Nodes that came back with a snapshot, and when they are missed unless their kubelet is heard of. */
  missedAtMs: Map<string, number>;
  /** The virtual machine below a node, as its hypervisor knows it. */
  machines: Map<string, Machine>;
  /** Nodes whose kubelet serves nothing until its certificate is issued, and under which request it asks. */
  servingRequests: Map<string, string>;
}

export interface Machine {
  vmid: string;
  /** The hypervisor node. */
  host: string;
}

const runtimes = new WeakMap<KubeStore, Runtime>();

export function runtimeOf(store: KubeStore): Runtime {
  const known = runtimes.get(store);
  if (known) return known;
  const made = {
    logs: new Map(),
    files: new Map(),
    images: new Set<string>(),
    pods: new Map(),
    kubelets: new Map(),
    missedAtMs: new Map(),
    machines: new Map(),
    servingRequests: new Map(),
  };
  runtimes.set(store, made);
  return made;
}

export const logKey = (podUid: string | undefined, container: string): string =>
  `${podUid ?? ""} ${container}`;
