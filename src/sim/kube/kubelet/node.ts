import { stampOf, type KubeObject } from "../store/object.ts";
import type { KubeStore } from "../store/store.ts";

/** What a kubelet tells about its machine when it registers. */
export interface NodeFacts {
  name: string;
  /** The InternalIP. */
  address: string;
  isControlPlane: boolean;
  /** `1.36.3`, with or without a `v`. */
  kubeletVersion: string;
  /** `Talos (v1.13.9)`. */
  osImage: string;
  kernelVersion: string;
  containerRuntime: string;
  cores: number;
  memoryMiB: number;
  labels?: Record<string, string>;
  taints?: { key: string; value?: string | undefined; effect: string }[];
  /** The UUID of the machine's firmware. */
  systemUuid?: string | undefined;
}

/** Why a node without a CNI is not ready, in the kubelet's words. */
export const networkNotReady =
  "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized";

const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

const unreachable = { key: "node.kubernetes.io/unreachable", effect: "NoSchedule" };

/** What a starting kubelet does: makes its node, not ready yet, or finds it again and refreshes its facts. */
export function registerNode(store: KubeStore, facts: NodeFacts): KubeObject {
  const ref = { apiVersion: "v1", kind: "Node", name: facts.name };
  const labels = {
    "beta.kubernetes.io/arch": "amd64",
    "beta.kubernetes.io/os": "linux",
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/hostname": facts.name,
    "kubernetes.io/os": "linux",
    ...(facts.isControlPlane && { "node-role.kubernetes.io/control-plane": "" }),
    ...facts.labels,
  };
  const taints = [...(facts.taints ?? []), notReady];
  if (!store.find(ref))
    store.create(
      { apiVersion: "v1", kind: "Node", metadata: { name: facts.name, labels }, spec: { taints } },
      kubelet,
    );
  else store.patch(ref, "merge", { metadata: { labels } }, kubelet);
  store.patch(ref, "merge", { status: { ...machineStatus(facts) } }, { ...kubelet, subresource: "status" });
  return setNodeReady(store, facts.name, false);
}

/** Each node gets the next /24 of the cluster's pod subnet, and keeps it. */
export function assignPodSubnet(store: KubeStore, name: string, podSubnet: string): void {
  const specs = store.list({ apiVersion: "v1", kind: "Node" }).map((node) => ({
    name: node.metadata.name,
    cidr: (node["spec"] as { podCIDR?: string } | undefined)?.podCIDR,
  }));
  if (specs.some((spec) => spec.name === name && spec.cidr !== undefined)) return;
  const [a = "10", b = "244"] = podSubnet.split(".");
  const taken = new Set(specs.map((spec) => spec.cidr));
  let index = 0;
  const cidrAt = () => `${a}.${Number(b) + (index >> 8)}.${index & 255}.0/24`;
  while (taken.has(cidrAt())) index += 1;
  store.patch(
    { apiVersion: "v1", kind: "Node", name },
    "merge",
    { spec: { podCIDR: cidrAt(), podCIDRs: [cidrAt()] } },
    { fieldManager: "kube-controller-manager" },
  );
}

/** Writes the node's conditions as its kubelet would; the not-ready taint comes and goes with them. */
export function setNodeReady(
  store: KubeStore,
  name: string,
  isReady: boolean,
  why: { status?: string; reason?: string; message?: string } = {},
): KubeObject {
  const ref = { apiVersion: "v1", kind: "Node", name };
  const node = store.get(ref);
  const time = stampOf(store.clock.now());
  const old = (node["status"] as { conditions?: Condition[] } | undefined)?.conditions ?? [];
  const conditions = [
    condition(
      old,
      "MemoryPressure",
      "False",
      "KubeletHasSufficientMemory",
      "kubelet has sufficient memory available",
      time,
    ),
    condition(old, "DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure", time),
    condition(
      old,
      "PIDPressure",
      "False",
      "KubeletHasSufficientPID",
      "kubelet has sufficient PID available",
      time,
    ),
    isReady
      ? condition(old, "Ready", "True", "KubeletReady", "kubelet is posting ready status", time)
      : condition(
          old,
          "Ready",
          why.status ?? "False",
          why.reason ?? "KubeletNotReady",
          why.message ?? networkNotReady,
          time,
        ),
  ];
  // Others write conditions of their own, such as K3s about etcd.
  conditions.push(...old.filter((item) => !conditions.some((mine) => mine.type === item.type)));
  const taints = (node["spec"] as { taints?: { key: string; effect: string }[] }).taints ?? [];
  const others = taints.filter((taint) => taint.key !== notReady.key && taint.key !== unreachable.key);
  const wanted = isReady ? others : [...others, why.status === "Unknown" ? unreachable : notReady];
  store.patch(
    ref,
    "merge",
    { spec: { taints: wanted.length > 0 ? wanted : null } },
    { fieldManager: "kube-controller-manager" },
  );
  return store.patch(ref, "merge", { status: { conditions } }, { ...kubelet, subresource: "status" });
}

const kubelet = { fieldManager: "kubelet" };

interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
  lastHeartbeatTime: string;
  lastTransitionTime: string;
}

function condition(
  old: Condition[],
  type: string,
  status: string,
  reason: string,
  message: string,
  time: string,
): Condition {
  const before = old.find((item) => item.type === type);
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : time;
  return { type, status, lastHeartbeatTime: time, lastTransitionTime, reason, message };
}

function machineStatus(facts: NodeFacts) {
  const kubeletVersion = facts.kubeletVersion.startsWith("v")
    ? facts.kubeletVersion
    : `v${facts.kubeletVersion}`;
  const capacity = { cpu: String(facts.cores), memory: `${facts.memoryMiB * 1024}Ki`, pods: "110" };
  return {
    capacity,
    allocatable: capacity,
    addresses: [
      { type: "InternalIP", address: facts.address },
      { type: "Hostname", address: facts.name },
    ],
    nodeInfo: {
      systemUUID: facts.systemUuid,
      architecture: "amd64",
      operatingSystem: "linux",
      osImage: facts.osImage,
      kernelVersion: facts.kernelVersion,
      containerRuntimeVersion: facts.containerRuntime,
      kubeletVersion,
      // Kubelets stopped telling the proxy's version, the field stays.
      kubeProxyVersion: "",
    },
  };
}
