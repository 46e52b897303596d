import { unlessEmpty } from "../../lib/index.ts";
import type { Graph, GraphNode, LeftoverNode, MachineSteps, StepId } from "../../plan/index.ts";
import { rolloutOf, type K3sCluster, type Node } from "../../spec/index.ts";
import type { NodeFacts } from "../kubernetes/index.ts";
import { guestOf, knownGuests, metSteps, systemOf } from "../linux-hosts/index.ts";
import type { AccessWant } from "./steps/access-files.ts";
import { describeArtifacts, describeMembership, describeNode } from "./describe-node.ts";
import { withRecovery } from "./describe-recovery.ts";
import { serverUrl } from "./k3s-access.ts";
import type { K3sApiWant, K3sNodesWant } from "./steps/kubernetes.ts";
import type { NamesWant } from "./steps/names.ts";
import type { LeftoverNodeWant } from "./steps/members/node-object.ts";
import type { SecretsWant } from "./steps/secrets.ts";
import { apiStep, nodeStep, ofCluster, serversOf } from "./step-names.ts";

/**
 * From machines to a cluster: the first server founds it, the others join one after another, then the agents all at
 * once. What has to lie on the machines is brought to all of them at the same time.
 */
export function describeK3s(cluster: K3sCluster, machines: MachineSteps): Graph {
  const { name } = cluster;
  const servers = serversOf(cluster);
  const [first, second] = servers;
  if (!first) throw new Error(`cluster ${name} has no server`);
  const secrets = describeSecrets(cluster, machines);
  const access = describeAccess(cluster, machines, secrets.id);
  const nodes = cluster.nodes.map((node) => describeNode(cluster, node, machines, secrets.id));
  const api = describeApi(cluster, first, access.id);
  const graph = [
    secrets,
    access,
    ...cluster.nodes.map((node) => systemOf(cluster, node, machines, access.id)),
    ...cluster.nodes.map((node) => describeArtifacts(cluster, node)),
    ...nodes,
    ...(second ? [describeMembership(cluster, first, second)] : []),
    api,
    ...describeNames(cluster),
    describeReady(cluster, [api.id, ...nodes.map(({ id }) => id)], machines),
  ];
  return withRecovery(graph, cluster, machines);
}

const describeSecrets = (cluster: K3sCluster, machines: MachineSteps): GraphNode<SecretsWant> => {
  const existing = serversOf(cluster)
    .filter(({ name }) => machines.existing.includes(name))
    .map((node) => guestOf(cluster, node));
  return {
    ...ofCluster(cluster, "secrets", "distro"),
    kind: "k3s/secrets",
    name: "secrets",
    want: { cluster: cluster.name, existing: unlessEmpty(existing) },
    after: [],
    usualMs: 500,
  };
};

const describeAccess = (
  cluster: K3sCluster,
  machines: MachineSteps,
  secrets: StepId,
): GraphNode<AccessWant> => ({
  ...ofCluster(cluster, "access", "distro"),
  kind: "k3s/access",
  name: "kubeconfig and known_hosts",
  // A node that is made again is logged in on before, by the host keys it has lost afterwards.
  afterRemovals: true,
  want: { ...knownGuests(cluster, machines), endpoint: cluster.endpoint },
  after: [secrets, ...metSteps(cluster, machines)],
  within: [secrets],
  usualMs: 100,
});

const describeApi = (cluster: K3sCluster, first: Node, access: StepId): GraphNode<K3sApiWant> => ({
  ...ofCluster(cluster, "api", "kubernetes"),
  kind: "k3s/api",
  name: "the Kubernetes API",
  comesByItself: true,
  want: {
    cluster: cluster.name,
    endpoint: cluster.endpoint,
    controlPlane: guestOf(cluster, first),
  },
  after: [nodeStep(cluster.name, first.name), access],
  within: serversOf(cluster).map(({ name }) => nodeStep(cluster.name, name)),
  usualMs: 15_000,
  facts: {
    kubernetes: cluster.kubernetes,
    k3s: cluster.distribution.version,
    endpoint: cluster.endpoint,
    vip: cluster.network.vip,
  },
});

function describeNames(cluster: K3sCluster): GraphNode<NamesWant>[] {
  const { hosts } = cluster.network;
  const isAsked = hosts && Object.keys(hosts).length > 0;
  if (!isAsked || cluster.distribution.settings.disable.includes("coredns")) return [];
  return [
    {
      ...ofCluster(cluster, "names", "kubernetes"),
      kind: "k3s/names",
      name: "names known to pods",
      want: { cluster: cluster.name, endpoint: cluster.endpoint, hosts },
      after: [apiStep(cluster.name)],
      within: [apiStep(cluster.name)],
      usualMs: 200,
    },
  ];
}

const describeReady = (
  cluster: K3sCluster,
  after: StepId[],
  { networkStep }: MachineSteps,
): GraphNode<K3sNodesWant> => ({
  ...ofCluster(cluster, "nodes", "kubernetes"),
  kind: "k3s/nodes",
  name: "all nodes to be Ready",
  comesByItself: true,
  want: {
    cluster: cluster.name,
    endpoint: cluster.endpoint,
    nodes: cluster.nodes.map(({ name, address }) => ({ name, address })),
    facts: Object.fromEntries(cluster.nodes.map((node) => [node.name, factsOf(cluster, node)])),
  },
  after: [...after, ...(networkStep === undefined ? [] : [networkStep])],
  within: [apiStep(cluster.name)],
  usualMs: 18_000,
});

const factsOf = (cluster: K3sCluster, node: Node): NodeFacts => ({
  labels: node.labels,
  annotations: node.annotations ?? {},
  taints: { ...node.taints, ...(isReserved(cluster, node) && { [controlPlaneTaint]: "NoSchedule" }) },
});

const controlPlaneTaint = "node-role.kubernetes.io/control-plane";

const isReserved = ({ kubernetesSettings, nodes }: K3sCluster, { role }: Node): boolean =>
  role === "control-plane" &&
  kubernetesSettings?.scheduleOnControlPlanes === false &&
  nodes.some((other) => other.role === "worker");

/** What the cluster has to forget of nodes that leave, before their machines go; one after another, for etcd's sake. */
export const describeLeftovers = (cluster: K3sCluster, leftovers: LeftoverNode[]): Graph =>
  leftovers.map(({ node, role }, index): GraphNode<LeftoverNodeWant> => ({
    ...ofCluster(cluster, node, "kubernetes"),
    id: leftoverStep(cluster, node),
    kind: "k3s/node-object",
    drains: "removal",
    name: `Kubernetes node ${node}`,
    node,
    want: {
      cluster: cluster.name,
      node,
      user: cluster.distribution.user,
      isServer: role === "control-plane",
      drainMs: rolloutOf(cluster).drain.timeoutMs,
      servers: serversOf(cluster).map(({ address }) => serverUrl(address)),
      firstContact: cluster.keylessHosts ? cluster.distribution.firstContact : undefined,
    },
    after: leftovers.slice(Math.max(0, index - 1), index).map((before) => leftoverStep(cluster, before.node)),
    usualMs: 30_000,
  }));

const leftoverStep = ({ name }: K3sCluster, node: string): StepId => `${name}/leaving/${node}`;
