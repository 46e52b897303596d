import {
  conditionOf,
  explainPods,
  labelQuery,
  type KubeClient,
  type KubeDaemonSet,
  type KubeNode,
  type KubePod,
} from "../../clients/kube/index.ts";
import { errorData } from "../../errors/index.ts";
import { findingOfNodes, type Check, type NodeFaults } from "../../plan/index.ts";
import { networkNotReady, noNetworkFound } from "./errors.ts";
import { needsApi, type HealthFacts } from "./health-facts.ts";

/** What connects the pods runs on every node, whichever CNI it is. */
export const cniReady = (facts: HealthFacts): Check => ({
  id: "cni-ready",
  title: "CNI ready",
  failing: "CNI not ready",
  needs: needsApi,
  async run({ signal }) {
    const { name, nodes } = facts.cluster;
    const kube = await facts.kube();
    const needed = "its agent ready on every node";
    const agents = await networkAgents(kube, signal);
    const [first] = agents;
    if (!first)
      return { status: "failed", needed, found: "none", error: errorData(noNetworkFound({ cluster: name })) };
    const names = nodes.map((node) => node.name);
    const found = await Promise.all(agents.map((agent) => faultsOf(kube, agent, names, signal)));
    const faults: NodeFaults = Object.assign(unheard(names, await facts.nodes(signal)), ...found);
    const workload = agents.map(({ metadata }) => metadata.name).join(", ");
    return findingOfNodes({ all: nodes.length, needed, faults, good: workload }, (why) =>
      networkNotReady({
        ...{ cluster: name, why: `${workload}: ${why}` },
        workload: first.metadata.name,
        namespace: first.metadata.namespace ?? "kube-system",
      }),
    );
  },
});

/** Of a kubelet that does not report, pods are still told to run for a while. */
const unheard = (names: string[], known: Map<string, KubeNode>): NodeFaults =>
  Object.fromEntries(
    names.flatMap((name) => {
      const node = known.get(name);
      const isUnheard = node && conditionOf(node, "Ready")?.status === "Unknown";
      return isUnheard ? [[name, "does not report on its pods"]] : [];
    }),
  );

/** They write a CNI config on their host; by that Flannel, Cilium, Calico and others are alike. */
async function networkAgents(kube: KubeClient, signal: AbortSignal): Promise<KubeDaemonSet[]> {
  const query = { apiVersion: "apps/v1", kind: "DaemonSet" };
  const { items } = await kube.list<KubeDaemonSet>(query, signal);
  return items.filter(({ spec }) =>
    (spec?.template?.spec?.volumes ?? []).some((volume) =>
      /^\/(etc|opt)\/cni\b/.test(volume.hostPath?.path ?? ""),
    ),
  );
}

async function faultsOf(
  kube: KubeClient,
  { spec, metadata }: KubeDaemonSet,
  nodes: string[],
  signal: AbortSignal,
): Promise<NodeFaults> {
  const { namespace = "kube-system" } = metadata;
  const labels = labelQuery(spec?.selector ?? {});
  const pods = await kube.list<KubePod>({ apiVersion: "v1", kind: "Pod", namespace, labels }, signal);
  const ready = new Set(
    pods.items
      .filter((pod) => conditionOf(pod, "Ready")?.status === "True")
      .map((pod) => pod.spec?.nodeName ?? ""),
  );
  const bad = nodes.filter((node) => !ready.has(node));
  if (bad.length === 0) return {};
  const troubles = await explainPods(kube, { namespace, labels }, signal);
  return Object.fromEntries(
    bad.map((node) => {
      const trouble = troubles.find((known) => known.node === node);
      return [node, trouble ? `has no working agent: ${trouble.pod}: ${trouble.why}` : "has no pod of it"];
    }),
  );
}
