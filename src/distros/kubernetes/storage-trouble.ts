import type { KubeClient, KubeObject } from "../../clients/kube/index.ts";

/** Storage whose data lies on the nodes themselves. */
interface NodeStorage {
  group: string;
  plural: string;
  kind: string;
  /** What is wrong with one object of it, in words. */
  troubleOf(object: KubeObject): string | undefined;
}

interface LonghornVolume extends KubeObject {
  status?: {
    state?: string;
    robustness?: string;
    kubernetesStatus?: { namespace?: string; pvcName?: string };
  };
}

interface CephCluster extends KubeObject {
  status?: { ceph?: { health?: string; details?: Record<string, { message?: string }> } };
}

const storages: NodeStorage[] = [
  { group: "longhorn.io", plural: "volumes", kind: "Volume", troubleOf: longhornTrouble },
  { group: "ceph.rook.io", plural: "cephclusters", kind: "CephCluster", troubleOf: cephTrouble },
];

/** What of the data that a cluster keeps on its nodes is not whole, in words. Undefined where it keeps none. */
export async function storageTrouble(kube: KubeClient): Promise<string[] | undefined> {
  const found = await Promise.all(storages.map((storage) => objectsOf(kube, storage)));
  if (found.every((objects) => objects.length === 0)) return undefined;
  return storages.flatMap(({ troubleOf }, index) =>
    (found[index] ?? []).flatMap((object) => troubleOf(object) ?? []),
  );
}

interface Definition extends KubeObject {
  spec?: { versions?: { name: string; storage: boolean }[] };
}

async function objectsOf(kube: KubeClient, { group, plural, kind }: NodeStorage): Promise<KubeObject[]> {
  const definition = await kube.get<Definition>({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    name: `${plural}.${group}`,
  });
  const version = definition?.spec?.versions?.find(({ storage }) => storage)?.name;
  if (version === undefined) return [];
  return (await kube.list({ apiVersion: `${group}/${version}`, kind })).items;
}

/** One that nobody uses is detached, and says nothing about its copies. */
export function longhornTrouble({ metadata, status }: LonghornVolume): string | undefined {
  const { state = "", robustness = "unknown", kubernetesStatus = {} } = status ?? {};
  const isUnused = state === "" || state === "creating" || state === "detached";
  if (isUnused || (state === "attached" && robustness === "healthy")) return undefined;
  const { namespace = "", pvcName = "" } = kubernetesStatus;
  const claim = pvcName === "" ? "" : ` (${namespace}/${pvcName})`;
  return `Longhorn volume ${metadata.name}${claim} is ${state === "attached" ? robustness : state}`;
}

/** Any warning holds: Ceph itself can be told which of them do not count. */
export function cephTrouble({ metadata, status }: CephCluster): string | undefined {
  const { health = "not heard of", details = {} } = status?.ceph ?? {};
  if (health === "HEALTH_OK") return undefined;
  const reasons = Object.entries(details).map(([code, { message = "" }]) =>
    message === "" ? code : `${code} (${message})`,
  );
  const why = reasons.length === 0 ? "" : `: ${reasons.join(", ")}`;
  return `Ceph cluster ${metadata.namespace ?? ""}/${metadata.name} is ${health}${why}`;
}
