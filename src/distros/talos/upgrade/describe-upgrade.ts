import { talosImage } from "../../../images/index.ts";
import { imageStep, type GraphNode, type MachineSteps, type StepId } from "../../../plan/index.ts";
import { rolloutOf, talosOf, type Cluster, type Node } from "../../../spec/index.ts";
import type { KubernetesWant } from "./kubernetes/kubernetes-want.ts";
import type { PreparationWant } from "./preparation.ts";
import type { SystemWant } from "./system-want.ts";

/** The systems of nodes that are there already: control planes one after the other, then workers. */
export interface UpgradeSteps {
  graph: (GraphNode<SystemWant> | GraphNode<PreparationWant> | GraphNode<KubernetesWant>)[];
  /** What has to be over before a node gets its config: a new one must not be ahead of those it joins. */
  before(node: Node): StepId[];
}

export function describeUpgrade(cluster: Cluster, machines: MachineSteps): UpgradeSteps {
  const isThere = ({ name }: Node): boolean => machines.existing.includes(name);
  const there = cluster.nodes.filter(isThere);
  const controlPlanes = there.filter(({ role }) => role === "control-plane");
  const [first] = controlPlanes;
  if (!first) return { graph: [], before: () => [] };
  const preparation: GraphNode<PreparationWant> = {
    id: `${cluster.name}/cluster/upgrade`,
    kind: "talos/preparation",
    name: "what an upgrade needs",
    title: "Fetch installers and take a snapshot of etcd",
    want: {
      cluster: cluster.name,
      systems: there.map((node) => systemWant(cluster, node, controlPlanes)),
    },
    // Installers come from the same factory, which has to know the schematic by then.
    after: [
      ...["schematic", ...new Set(there.map(({ name }) => machines.placeOf(name).host))].map((what) =>
        imageStep(cluster.name, what),
      ),
      ...there.map(({ name }) => machines.stepOf(name)),
    ],
    group: "cluster",
    stage: "distro",
    cluster: cluster.name,
    usualMs: 30_000,
    facts: { because: "installers on all these nodes, a snapshot of etcd beside the secrets" },
  };
  const { workers } = rolloutOf(cluster);
  const pace = workers === 1 ? "one node at a time" : "control planes one at a time";
  const stepOf = ({ name }: Node): StepId => `${cluster.name}/system/${name}`;
  const systems = there.map((node): GraphNode<SystemWant> => {
    const earlier = node.role === "control-plane" ? before(controlPlanes, node) : controlPlanes;
    return {
      id: stepOf(node),
      kind: "talos/system",
      name: `Talos on ${node.name}`,
      title: `Bring Talos on ${node.name} to ${talosOf(cluster).version}`,
      want: systemWant(cluster, node, controlPlanes),
      after: [machines.stepOf(node.name), preparation.id, ...earlier.map(stepOf)],
      within: [machines.stepOf(node.name)],
      group: "nodes",
      stage: "distro",
      cluster: cluster.name,
      node: node.name,
      role: node.role,
      usualMs: 180_000,
      facts: { before: `drained within its budgets, rebooted, its version compared; ${pace}` },
    };
  });
  const kubeletPace = workers === 1 ? pace : `${pace}, workers ${workers} at a time`;
  const kubernetes: GraphNode<KubernetesWant> = {
    id: `${cluster.name}/cluster/kubernetes`,
    kind: "talos/kubernetes",
    name: "Kubernetes",
    title: `Bring Kubernetes to ${cluster.kubernetes}`,
    want: {
      cluster: cluster.name,
      endpoint: cluster.endpoint,
      version: cluster.kubernetes,
      workersAtOnce: workers,
      nodes: [...controlPlanes, ...there.filter(({ role }) => role === "worker")].map(
        ({ name, address, role }) => ({ node: name, address, role }),
      ),
    },
    after: systems.map(({ id }) => id),
    group: "cluster",
    stage: "distro",
    cluster: cluster.name,
    usualMs: 60_000 * controlPlanes.length + 30_000 * there.length,
    facts: { before: `part by part: API servers, then the others, then kubelets, ${kubeletPace}` },
  };
  return {
    graph: [preparation, ...systems, kubernetes],
    before: (node) => [kubernetes.id, ...(isThere(node) ? [stepOf(node)] : controlPlanes.map(stepOf))],
  };
}

const before = (nodes: Node[], node: Node): Node[] => nodes.slice(0, nodes.indexOf(node));

function systemWant(cluster: Cluster, node: Node, controlPlanes: Node[]): SystemWant {
  const distribution = talosOf(cluster);
  const { version, factory, image, isSecureBoot = false } = distribution;
  const platform = node.machine ? "metal" : "nocloud";
  return {
    cluster: cluster.name,
    endpoint: cluster.endpoint,
    node: node.name,
    address: node.address,
    role: node.role,
    build: { factory, version, platform, isSecureBoot },
    // From which schematic an image was built that somebody brought along, also in a folder, only its nodes can say.
    schematic: image === undefined ? talosImage(distribution, platform).schematicId : undefined,
    drainMs: rolloutOf(cluster).drain.timeoutMs,
    controlPlanes: controlPlanes.map(({ name, address }) => ({ node: name, address })),
  };
}
