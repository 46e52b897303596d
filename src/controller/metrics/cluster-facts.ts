import type { ClusterCare } from "../../operations/index.ts";
import type { SlipwayCluster } from "../objects/index.ts";
import { catalogue } from "./catalogue.ts";
import { counted, type Registry, type Sample } from "./registry.ts";

/** What metrics tell of a cluster. Whatever is not known is left out, and so are its lines. */
export interface ClusterFacts {
  /** `namespace/name` of its object. */
  cluster: string;
  phase: string;
  distribution: string;
  provider: string;
  kubernetesVersion?: string | undefined;
  osVersion?: string | undefined;
  conditions: readonly { type: string; status: string }[];
  machines: readonly { role: string; phase: string; count: number }[];
  /** How many machines have another version than the file, by what has it: `kubernetes`, `os`. */
  outdated: Readonly<Record<string, number>>;
  /** What the last plan would change, by the kind of thing. */
  drift: Readonly<Record<string, number>>;
  etcd?:
    | { members?: number | undefined; sizeBytes?: number | undefined; snapshotAt?: string | undefined }
    | undefined;
  /** By what they are for: when the first of them expires. */
  certificates: Readonly<Record<string, string>>;
}

const statuses = ["True", "False", "Unknown"];

/** Gauges of all clusters, read anew whenever they are written. */
export function clusterGauges(registry: Registry, read: () => readonly ClusterFacts[]): void {
  const each = (of: (facts: ClusterFacts) => Sample[]) => () => read().flatMap(of);

  registry.gauge(catalogue.clusters, () =>
    counted(read().map(({ phase, distribution, provider }) => [phase, distribution, provider])),
  );
  registry.gauge(
    catalogue.clusterInfo,
    each(({ cluster, kubernetesVersion = "", osVersion = "", provider }) => [
      [[cluster, kubernetesVersion, osVersion, provider], 1],
    ]),
  );
  registry.gauge(
    catalogue.clusterCondition,
    each(({ cluster, conditions }) =>
      conditions.flatMap(({ type, status }) =>
        statuses.map((one): Sample => [[cluster, type, one], one === status ? 1 : 0]),
      ),
    ),
  );
  registry.gauge(
    catalogue.machines,
    each(({ cluster, machines }) =>
      machines.map(({ role, phase, count }): Sample => [[cluster, role, phase], count]),
    ),
  );
  registry.gauge(
    catalogue.outdated,
    each(({ cluster, outdated }) => byKey(cluster, outdated)),
  );
  registry.gauge(
    catalogue.drift,
    each(({ cluster, drift }) => byKey(cluster, drift)),
  );
  registry.gauge(
    catalogue.etcdMembers,
    each(({ cluster, etcd }) => known(cluster, etcd?.members)),
  );
  registry.gauge(
    catalogue.etcdSize,
    each(({ cluster, etcd }) => known(cluster, etcd?.sizeBytes)),
  );
  registry.gauge(
    catalogue.snapshotAt,
    each(({ cluster, etcd }) => known(cluster, timestamp(etcd?.snapshotAt))),
  );
  registry.gauge(
    catalogue.certificateExpiry,
    each(({ cluster, certificates }) =>
      Object.entries(certificates).flatMap(([kind, at]) => known([cluster, kind], timestamp(at))),
    ),
  );
}

const byKey = (cluster: string, counts: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(counts).map(([key, count]) => [[cluster, key], count] as const);

const known = (labels: string | string[], value: number | undefined): Sample[] =>
  value === undefined || Number.isNaN(value) ? [] : [[[labels].flat(), value]];

const timestamp = (at: string | undefined): number | undefined =>
  at === undefined ? undefined : Date.parse(at) / 1000;

/** What was seen of a cluster when it was last looked at; its object says the rest. */
export interface ClusterSighting {
  nodes?: readonly SeenNode[];
  /** The changes of its last plan. */
  changes?: readonly { kind: string }[];
  /** Versions that its file wants, by what they are of: `talos`, `kubernetes`, `k3s`. */
  wanted?: Readonly<Record<string, string>>;
  care?: ClusterCare;
}

/** A node as the Kubernetes of its cluster tells of it. */
export interface SeenNode {
  isControlPlane: boolean;
  isReady: boolean;
  /** Versions of its kubelet and of its system, as it writes them. */
  says: readonly string[];
}

/** `namespace/name`, as in every line about a cluster. */
export const clusterKey = ({ metadata: { namespace = "", name } }: SlipwayCluster): string =>
  `${namespace}/${name}`;

export function clusterFacts(object: SlipwayCluster, seen: ClusterSighting = {}): ClusterFacts {
  const { status } = object;
  const { nodes = [], changes = [], wanted = {}, care } = seen;
  const phases = nodes.map(({ isControlPlane, isReady }) => [
    isControlPlane ? "control-plane" : "worker",
    isReady ? "Ready" : "NotReady",
  ]);
  return {
    cluster: clusterKey(object),
    phase: status?.phase ?? "Pending",
    distribution: status?.distribution ?? "",
    provider: status?.provider ?? "",
    kubernetesVersion: status?.kubernetesVersion,
    osVersion: status?.osVersion,
    conditions: status?.conditions ?? [],
    machines: counted(phases).map(([[role = "", phase = ""], count]) => ({ role, phase, count })),
    outdated: Object.fromEntries(
      Object.entries(wanted).map(([component, version]) => [
        component,
        nodes.filter((node) => !saysVersion(node, version)).length,
      ]),
    ),
    drift: Object.fromEntries(
      counted(changes.map(({ kind }) => [kind])).map(([[kind = ""], count]) => [kind, count]),
    ),
    etcd: { ...care?.database, snapshotAt: care?.backupAt },
    certificates: firstEnds(care?.certificates ?? []),
  };
}

/** `v1.36.3` says 1.36.3, and so does `Talos (v1.36.3)`, but `v1.36.30` does not. */
const saysVersion = ({ says }: SeenNode, version: string): boolean =>
  says.some((text) => {
    const at = text.indexOf(version);
    return at !== -1 && !/^[\d.]/.test(text.slice(at + version.length)) && !/[\d.]$/.test(text.slice(0, at));
  });

/** `Kubernetes API` of `Kubernetes API on cp-1`: of the same on several nodes the first to end counts. */
function firstEnds(all: readonly { name: string; expires: string }[]): Record<string, string> {
  const ends: Record<string, string> = {};
  for (const { name, expires } of all) {
    const kind = name.replace(/ on \S+$/, "");
    const earlier = ends[kind];
    if (earlier === undefined || Date.parse(expires) < Date.parse(earlier)) ends[kind] = expires;
  }
  return ends;
}
