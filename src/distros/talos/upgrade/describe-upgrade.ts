import { talosImage } from "../../../images/index.ts";
import { given } from "../../../lib/index.ts";
import { imageStep, type GraphNode, type MachineSteps, type StepId } from "../../../plan/index.ts";
import { rolloutOf, talosOf, type Cluster, type Node } from "../../../spec/index.ts";
import { isRoundabout, type Hop } from "./hops.ts";
import type { KubernetesWant } from "./kubernetes/kubernetes-want.ts";
import type { PreparationWant } from "./preparation.ts";
import type { SystemWant } from "./system-want.ts";

type UpgradeGraph = (GraphNode<SystemWant> | GraphNode<PreparationWant> | GraphNode<KubernetesWant>)[];

/** The systems of nodes that are there already: control planes one after the other, then workers. */
export interface UpgradeSteps {
  graph: UpgradeGraph;
  /** What has to be over before a node gets its config: a new one must not be ahead of those it joins. */
  before(node: Node): StepId[];
}

/** A version that all of these nodes go to. */
interface Leg {
  cluster: Cluster;
  machines: MachineSteps;
  there: Node[];
  controlPlanes: Node[];
  hop: Hop;
  /** Those of the same part that follow. */
  later: Hop[];
  /** The last steps of the version before. */
  after: StepId[];
  /** Which of several: `1 of 4`; absent where there is nothing but what the file says. */
  place?: string | undefined;
}

/** One version after the other: none begins before all nodes have the one before. */
export function describeUpgrade(cluster: Cluster, machines: MachineSteps, hops: Hop[]): UpgradeSteps {
  const existing = new Set(machines.existing);
  const there = cluster.nodes.filter(({ name }) => existing.has(name));
  const controlPlanes = there.filter(({ role }) => role === "control-plane");
  if (controlPlanes.length === 0) return { graph: [], before: () => [] };
  const graph: UpgradeGraph = [];
  const due = hops.filter(({ from }) => from !== undefined);
  let after: StepId[] = [];
  for (const [index, hop] of hops.entries()) {
    const later = hops.slice(index + 1).filter(({ part }) => part === hop.part);
    const place = isRoundabout(hops) ? `${due.indexOf(hop) + 1} of ${due.length}` : undefined;
    const leg = { cluster, machines, there, controlPlanes, hop, later, after, place };
    const steps = hop.part === "talos" ? talosLeg(leg) : [kubernetesLeg(leg)];
    graph.push(...steps);
    after = steps.filter(({ kind }) => kind !== "talos/preparation").map(({ id }) => id);
  }
  const last = lastStep(cluster, "kubernetes");
  const systemOf = ({ name }: Node): StepId => `${cluster.name}/system/${name}`;
  return {
    graph,
    before: (node) => [last, ...(existing.has(node.name) ? [node] : controlPlanes).map(systemOf)],
  };
}

const lastStep = ({ name }: Cluster, what: string): StepId => `${name}/cluster/${what}`;

/** What the file says has the plain name; a version on the way tells which it is. */
const onTheWay = ({ hop, later }: Leg): string => (later.length === 0 ? "" : `-${hop.version}`);

const paceOf = ({ cluster }: Leg): string =>
  rolloutOf(cluster).workers === 1 ? "one node at a time" : "control planes one at a time";

function talosLeg(leg: Leg): UpgradeGraph {
  const { cluster, machines, there, controlPlanes, hop, later, after } = leg;
  const wantsOf = (of: Hop, isOnTheWay: boolean): SystemWant[] =>
    there.map((node) => systemWant(cluster, node, controlPlanes, of, isOnTheWay));
  const isOnTheWay = later.length > 0;
  const preparation: GraphNode<PreparationWant> = {
    id: lastStep(cluster, `upgrade${onTheWay(leg)}`),
    kind: "talos/preparation",
    name: "what an upgrade needs",
    title: "Fetch installers and take a snapshot of etcd",
    want: {
      cluster: cluster.name,
      systems: wantsOf(hop, isOnTheWay),
      later: later.flatMap((each) => wantsOf(each, each !== later.at(-1))),
    },
    // Installers come from the same factory, which has to know the schematic by then.
    after: [
      ...["schematic", ...new Set(there.map(({ name }) => machines.placeOf(name).host))].map((what) =>
        imageStep(cluster.name, what),
      ),
      ...there.map(({ name }) => machines.stepOf(name)),
      ...after,
    ],
    group: "cluster",
    stage: "distro",
    cluster: cluster.name,
    usualMs: 30_000,
    facts: {
      because: "installers on all these nodes, a snapshot of etcd beside the secrets",
      hop: leg.place,
    },
  };
  const stepOf = ({ name }: Node): StepId => `${cluster.name}/system${onTheWay(leg)}/${name}`;
  const systems = there.map((node): GraphNode<SystemWant> => {
    const earlier = node.role === "control-plane" ? before(controlPlanes, node) : controlPlanes;
    return {
      id: stepOf(node),
      kind: "talos/system",
      name: `Talos on ${node.name}`,
      title: `Bring Talos on ${node.name} to ${hop.version}`,
      want: systemWant(cluster, node, controlPlanes, hop, isOnTheWay),
      after: [machines.stepOf(node.name), preparation.id, ...earlier.map(stepOf), ...after],
      within: [machines.stepOf(node.name)],
      group: "nodes",
      stage: "distro",
      cluster: cluster.name,
      node: node.name,
      role: node.role,
      drains: "restart",
      usualMs: 180_000,
      facts: {
        before: `drained within its budgets, rebooted, its version compared; ${paceOf(leg)}`,
        hop: leg.place,
      },
    };
  });
  return [preparation, ...systems];
}

function kubernetesLeg(leg: Leg): GraphNode<KubernetesWant> {
  const { cluster, there, controlPlanes, hop, later, after } = leg;
  const { workers } = rolloutOf(cluster);
  const pace = workers === 1 ? paceOf(leg) : `${paceOf(leg)}, workers ${workers} at a time`;
  return {
    id: lastStep(cluster, `kubernetes${onTheWay(leg)}`),
    kind: "talos/kubernetes",
    name: "Kubernetes",
    title: `Bring Kubernetes to ${hop.version}`,
    want: {
      cluster: cluster.name,
      endpoint: cluster.endpoint,
      version: hop.version,
      ...given({ isOnTheWay: later.length > 0 || undefined, from: hop.from }),
      workersAtOnce: workers,
      nodes: [...controlPlanes, ...there.filter(({ role }) => role === "worker")].map(
        ({ name, address, role }) => ({ node: name, address, role }),
      ),
    },
    after,
    group: "cluster",
    stage: "distro",
    cluster: cluster.name,
    usualMs: 60_000 * controlPlanes.length + 30_000 * there.length,
    facts: {
      before: `part by part: API servers, then the others, then kubelets, ${pace}`,
      hop: leg.place,
    },
  };
}

const before = (nodes: Node[], node: Node): Node[] => nodes.slice(0, nodes.indexOf(node));

function systemWant(
  cluster: Cluster,
  node: Node,
  controlPlanes: Node[],
  { version, from }: Hop,
  isOnTheWay: boolean,
): SystemWant {
  const distribution = talosOf(cluster);
  const { factory, image, isSecureBoot = false } = distribution;
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
    ...given({ isOnTheWay: isOnTheWay || undefined, from }),
    drainMs: rolloutOf(cluster).drain.timeoutMs,
    controlPlanes: controlPlanes.map(({ name, address }) => ({ node: name, address })),
  };
}
