import type {
  KubeClient,
  KubeDaemonSet,
  KubeDeployment,
  KubeEvent,
  KubeObject,
  KubePod,
  KubeStatefulSet,
} from "../../clients/kube/index.ts";

/** What the cluster's API says. Every list is fetched once, when somebody first asks for it. */
export interface KubeFacts {
  client: KubeClient;
  list<T extends KubeObject = KubeObject>(apiVersion: string, kind: string): Promise<T[]>;
  pods(): Promise<KubePod[]>;
  events(): Promise<KubeEvent[]>;
  /** Deployments, daemon sets and stateful sets of all namespaces. */
  workloads(): Promise<Workload[]>;
}

export type Workload = KubeDaemonSet | KubeDeployment | KubeStatefulSet;

export function readKube(client: KubeClient, signal: AbortSignal): KubeFacts {
  const lists = new Map<string, Promise<KubeObject[]>>();
  const list = <T extends KubeObject>(apiVersion: string, kind: string): Promise<T[]> => {
    const key = `${apiVersion} ${kind}`;
    const known =
      lists.get(key) ??
      client
        .list({ apiVersion, kind }, signal)
        .then(({ items }) => items.map((item) => ({ ...item, apiVersion, kind })));
    lists.set(key, known);
    return known as Promise<T[]>;
  };
  return {
    client,
    list,
    pods: () => list<KubePod>("v1", "Pod"),
    events: () => list<KubeEvent>("v1", "Event"),
    async workloads() {
      const kinds = ["DaemonSet", "Deployment", "StatefulSet"];
      return (await Promise.all(kinds.map((kind) => list<Workload>("apps/v1", kind)))).flat();
    },
  };
}

/** The pods a workload has made, by its labels. */
export const podsOf = (workload: Workload, pods: KubePod[]): KubePod[] => {
  const labels = Object.entries(workload.spec?.selector?.matchLabels ?? {});
  return pods.filter(
    ({ metadata }) =>
      metadata.namespace === workload.metadata.namespace &&
      labels.length > 0 &&
      labels.every(([key, value]) => metadata.labels?.[key] === value),
  );
};
