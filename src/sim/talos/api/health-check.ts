import { Code, ConnectError } from "@connectrpc/connect";
import type { clusterApi } from "../../../clients/talos/index.ts";
import type { KubeObject } from "../../kube/index.ts";
import { controlPlaneCluster } from "../etcd/etcd-calls.ts";
import type { TalosCluster, TalosNode } from "../node.ts";

const pollMs = 1_000;
const leastMemoryMiB = { controlplane: 1_848, worker: 848 };

type Check = [title: string, problem: (cluster: TalosCluster, nodes: TalosNode[]) => string | undefined];

/** The checks of `talosctl health`, in its order, against the state of the simulated cluster. */
const checks: Check[] = [
  ["etcd to be healthy", (_, nodes) => unhealthy(controlPlanes(nodes), "etcd")],
  [
    "etcd members to be consistent across nodes",
    (cluster) => (cluster.hasQuorum ? undefined : "etcdserver: no leader"),
  ],
  [
    "etcd members to be control plane nodes",
    (cluster, nodes) => {
      const addresses = new Set(controlPlanes(nodes).map((node) => node.address()));
      const stranger = cluster.members.find((member) => !addresses.has(member.address));
      return stranger && `etcd member ${stranger.name} is not a control plane node`;
    },
  ],
  ["apid to be ready", (_, nodes) => unhealthy(nodes, "apid")],
  [
    "all nodes memory sizes",
    (_, nodes) => {
      const small = nodes.find(
        (node) => node.hardware.memoryMiB < leastMemoryMiB[node.config?.role ?? "worker"],
      );
      return small && `node "${small.address()}" does not meet memory requirements`;
    },
  ],
  ["kubelet to be healthy", (_, nodes) => unhealthy(controlPlanes(nodes), "kubelet")],
  [
    "all nodes to finish boot sequence",
    (_, nodes) =>
      list(
        "nodes are not running",
        nodes.filter((node) => node.stage !== "running"),
      ),
  ],
  [
    "all k8s nodes to report",
    (_, nodes) =>
      list(
        "missing in Kubernetes",
        nodes.filter((node) => node.kubeNode() === "missing"),
      ),
  ],
  [
    "all control plane static pods to be running",
    (cluster, nodes) =>
      list(
        "missing static pods",
        controlPlanes(nodes).filter((node) => !cluster.apiServers.has(node)),
      ),
  ],
  [
    "all k8s nodes to report ready",
    (_, nodes) =>
      list(
        "some nodes are not ready",
        nodes.filter((node) => node.kubeNode() !== "ready"),
      ),
  ],
  ["kube-proxy to report ready", (cluster) => podsNotReady(cluster, "k8s-app=kube-proxy")],
  ["coredns to report ready", (cluster) => podsNotReady(cluster, "k8s-app=kube-dns")],
  [
    "all k8s nodes to report schedulable",
    (cluster) => {
      const nodes = cluster.store.list({ apiVersion: "v1", kind: "Node" });
      const cordoned = nodes.filter(
        (node) => (node["spec"] as { unschedulable?: boolean }).unschedulable === true,
      );
      return cordoned.length === 0 ? undefined : `some nodes are not schedulable: ${names(cordoned)}`;
    },
  ],
];

/** Skipped while nobody has brought a network. */
const needsNetwork = new Set(["all k8s nodes to report ready", "coredns to report ready"]);

export async function* healthCheck(
  node: TalosNode,
  request: clusterApi.HealthCheckRequest,
  signal: AbortSignal,
) {
  const cluster = controlPlaneCluster(node, "cluster health check");
  const { clock } = node.world;
  const limitMs = Number(request.waitTimeout?.seconds ?? 0n) * 1_000;
  const deadline = clock.now() + limitMs;
  const nodes = () => [...cluster.nodes];
  yield {
    message: `discovered nodes: [${nodes()
      .map((found) => `"${found.address()}"`)
      .join(" ")}]`,
  };
  for (const [title, problem] of checks) {
    yield { message: `waiting for ${title}: ...` };
    if (needsNetwork.has(title) && node.config?.kubernetes.cni === "none") {
      yield { message: `waiting for ${title}: SKIP` };
      continue;
    }
    let last: string | undefined;
    for (let found = problem(cluster, nodes()); found !== undefined; found = problem(cluster, nodes())) {
      if (found !== last) yield { message: `waiting for ${title}: ${found}` };
      last = found;
      if (clock.now() > deadline) throw new ConnectError("context deadline exceeded", Code.DeadlineExceeded);
      await clock.sleep(pollMs, signal);
    }
    yield { message: `waiting for ${title}: OK` };
  }
}

const controlPlanes = (nodes: TalosNode[]): TalosNode[] => nodes.filter((node) => node.isControlPlane);

const unhealthy = (nodes: TalosNode[], service: string): string | undefined =>
  list(
    `service "${service}" not healthy`,
    nodes.filter((node) => node.services.get(service)?.isHealthy !== true),
  );

const list = (what: string, nodes: TalosNode[]): string | undefined =>
  nodes.length === 0 ? undefined : `${what}: [${nodes.map((node) => node.address()).join(" ")}]`;

const names = (objects: KubeObject[]): string =>
  `[${objects.map((object) => object.metadata.name ?? "").join(" ")}]`;

function podsNotReady(cluster: TalosCluster, labels: string): string | undefined {
  const pods = cluster.store.list({ apiVersion: "v1", kind: "Pod", namespace: "kube-system", labels });
  const waiting = pods.filter((pod) => {
    const { conditions = [] } = (pod["status"] ?? {}) as { conditions?: { type: string; status: string }[] };
    return !conditions.some(({ type, status }) => type === "Ready" && status === "True");
  });
  return waiting.length === 0 ? undefined : `some pods are not ready: ${names(waiting)}`;
}
