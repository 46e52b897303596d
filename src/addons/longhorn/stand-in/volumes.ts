import {
  type Cluster,
  type Controller,
  dig,
  digText,
  ensure,
  isServed,
  type KubeObject,
  type KubeStore,
  refOf,
  stampOf,
} from "../../../sim/kube/index.ts";

const namespace = "longhorn-system";
const apiVersion = "longhorn.io/v1beta2";
const driver = "driver.longhorn.io";
const mostReplicas = 3;
/** How long a copy takes that has to be made anew. */
const rebuildMs = 60_000;

/**
 * Keeps copies of every volume on different nodes. A copy on a node that went away is made anew when the node is back, and
 * until then the volume is degraded.
 */
export const longhornVolumes: Controller = {
  concerns: ({ kind }) => (kind.kind === "PersistentVolume" || kind.kind === "Node" ? ["volumes"] : []),
  run(_key, { store }: Cluster) {
    if (!isServed(store, apiVersion, "Volume") || !isServed(store, apiVersion, "Replica")) return undefined;
    const claimed = store
      .list({ apiVersion: "v1", kind: "PersistentVolume" })
      .filter((volume) => digText(volume, "spec", "csi", "driver") === driver);
    const names = new Set(claimed.map(({ metadata }) => metadata.name));
    for (const volume of claimed) makeVolume(store, volume);
    const waits = store.list({ apiVersion, kind: "Volume" }).flatMap((volume) => {
      if (names.has(volume.metadata.name)) return tendVolume(store, volume);
      for (const replica of replicasOf(store, volume)) store.delete(refOf(replica));
      store.delete(refOf(volume));
      return [];
    });
    return waits.length === 0 ? undefined : Math.min(...waits);
  },
};

function makeVolume(store: KubeStore, claimed: KubeObject): void {
  const { name = "" } = claimed.metadata;
  if (store.find({ apiVersion, kind: "Volume", namespace, name })) return;
  const nodes = store
    .list({ apiVersion, kind: "Node" })
    .map(({ metadata }) => metadata.name ?? "")
    .toSorted()
    .slice(0, mostReplicas);
  const healthyAt = stampOf(store.clock.now());
  const replicas = nodes.map((nodeID, index) => ({
    apiVersion,
    kind: "Replica",
    metadata: { name: `${name}-r-${index}`, namespace },
    spec: { volumeName: name, nodeID, healthyAt, failedAt: "" },
  }));
  const volume = {
    apiVersion,
    kind: "Volume",
    metadata: { name, namespace },
    spec: { numberOfReplicas: nodes.length },
  };
  ensure(store, [volume, ...replicas], "longhorn-manager");
}

const replicasOf = (store: KubeStore, { metadata }: KubeObject): KubeObject[] =>
  store
    .list({ apiVersion, kind: "Replica" })
    .filter((replica) => digText(replica, "spec", "volumeName") === metadata.name);

/** Returns after how many milliseconds a copy will be whole again, if one is not. */
function tendVolume(store: KubeStore, volume: KubeObject): number[] {
  const waits = replicasOf(store, volume).map((replica) => tendReplica(store, replica));
  const lost = waits.filter((ms) => ms !== 0).length;
  const robustness = lost === 0 ? "healthy" : lost < waits.length ? "degraded" : "faulted";
  const claim = store.find({ apiVersion: "v1", kind: "PersistentVolume", name: volume.metadata.name ?? "" });
  if (digText(volume, "status", "robustness") !== robustness) {
    const kubernetesStatus = {
      namespace: digText(claim, "spec", "claimRef", "namespace"),
      pvcName: digText(claim, "spec", "claimRef", "name"),
    };
    const status = { state: "attached", robustness, kubernetesStatus };
    store.patch(refOf(volume), "merge", { status }, { subresource: "status" });
  }
  return waits.filter((ms) => ms !== 0 && ms !== Infinity);
}

/** Zero: the copy is whole. Infinity: its node is away. */
function tendReplica(store: KubeStore, replica: KubeObject): number {
  const nowMs = store.clock.now();
  const spec = (name: string): string => digText(replica, "spec", name);
  const readyMs = readySince(store, spec("nodeID"));
  const hasFailed = spec("failedAt") !== "";
  const write = (fields: object) => store.patch(refOf(replica), "merge", { spec: fields });
  if (!hasFailed && readyMs <= Date.parse(spec("healthyAt"))) return 0;
  if (!hasFailed) write({ failedAt: stampOf(nowMs) });
  if (readyMs === Infinity) return Infinity;
  const leftMs = readyMs + rebuildMs - nowMs;
  if (leftMs > 0) return leftMs;
  write({ failedAt: "", healthyAt: stampOf(nowMs) });
  return 0;
}

/** Since when a node is Ready; Infinity when it is not. */
function readySince(store: KubeStore, name: string): number {
  const node = store.find({ apiVersion: "v1", kind: "Node", name });
  const conditions = (dig(node, "status", "conditions") ?? []) as {
    type: string;
    status: string;
    lastTransitionTime: string;
  }[];
  const ready = conditions.find(({ type, status }) => type === "Ready" && status === "True");
  return ready ? Date.parse(ready.lastTransitionTime) : Infinity;
}
