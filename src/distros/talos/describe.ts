import { unlessEmpty } from "../../lib/index.ts";
import type { Graph, GraphNode, MachineSteps, StepId } from "../../plan/index.ts";
import { hasKnownAddress, type Cluster, type Node, talosOf } from "../../spec/index.ts";
import type { ApiWant, NodesWant } from "../kubernetes/index.ts";
import { intentsIn, type PatchFiles } from "./intent/intent-for.ts";
import type { AccessWant } from "./steps/access-files.ts";
import { configFilesOf } from "./steps/config-files-want.ts";
import type { EtcdWant } from "./steps/etcd.ts";
import type { NodeConfigWant } from "./steps/node/node-config-want.ts";
import { toleranceText } from "./steps/members/quorum.ts";
import type { SecretsWant } from "./steps/secrets.ts";
import { withRecovery } from "./describe-recovery.ts";
import { isRoundabout, type Hop } from "./upgrade/hops.ts";
import { describeUpgrade } from "./upgrade/describe-upgrade.ts";

/** What was found before a cluster is described. */
export interface ClusterFindings {
  patchFiles: PatchFiles;
  contract: string | undefined;
  /** Control planes that etcd counts now. */
  members: string[];
  /** All versions on its way to what the file says. */
  hops: Hop[];
}

/** From machines to a cluster: secrets, configs, etcd, API, nodes. Bootstrap waits for the first control plane only. */
export function describeTalos(
  cluster: Cluster,
  machines: MachineSteps,
  { patchFiles, contract, members, hops }: ClusterFindings,
): Graph {
  const { name, endpoint } = cluster;
  const step = (kind: string, what: string): StepId => `${name}/${kind}/${what}`;
  const controlPlanes = cluster.nodes.filter((node) => node.role === "control-plane");
  const [first] = controlPlanes;
  if (!first) throw new Error(`cluster ${name} has no control plane`);

  const existing = new Set(machines.existing);
  const intentOf = intentsIn(cluster, patchFiles, contract);
  const intents = cluster.nodes.map((node) => ({
    node,
    name: node.name,
    intent: intentOf(node),
    isToCome: !existing.has(node.name),
  }));
  const known = controlPlanes
    .filter((node) => existing.has(node.name))
    .map((node) => ({ name: node.name, address: node.address }));
  const secrets: GraphNode<SecretsWant> = {
    id: secretsStep(name),
    kind: "talos/secrets",
    name: "secrets",
    want: {
      cluster: name,
      contract: talosOf(cluster).version,
      existing: unlessEmpty(known),
    },
    after: [],
    group: "cluster",
    stage: "distro",
    cluster: name,
    usualMs: 2_000,
  };
  const access: GraphNode<AccessWant> = {
    id: step("cluster", "access"),
    kind: "talos/access",
    name: "kubeconfig and talosconfig",
    want: {
      cluster: name,
      endpoint,
      controlPlanes: controlPlanes.map((node) => node.address),
      configs: configFilesOf(cluster, intents, intentOf),
    },
    // Addresses that DHCP gives are known when the nodes have answered.
    after: [
      secrets.id,
      ...controlPlanes.filter((node) => !hasKnownAddress(node)).map((node) => configStep(name, node.name)),
    ],
    within: [secrets.id],
    group: "cluster",
    stage: "distro",
    cluster: name,
    usualMs: 100,
  };
  const upgrade = describeUpgrade(cluster, machines, hops);
  const joins = joinsOf(controlPlanes, machines, members);
  const configs = describeJoins(
    intents.map(({ node, intent }) =>
      describeConfig(cluster, node, [secrets.id, ...upgrade.before(node)], machines, {
        intent,
        hops: isRoundabout(hops) ? hops : undefined,
      }),
    ),
    joins,
  );

  const configOf = (node: Node): StepId => configStep(name, node.name);
  const etcd: GraphNode<EtcdWant> = {
    id: step("cluster", "etcd"),
    kind: "talos/etcd",
    name: "etcd",
    isLasting: true,
    want: {
      cluster: name,
      controlPlanes: controlPlanes.map((node) => ({
        node: node.name,
        address: node.address,
        isKnown: existing.has(node.name),
      })),
    },
    after: [configOf(first)],
    within: controlPlanes.map(configOf),
    group: "cluster",
    stage: "distro",
    cluster: name,
    usualMs: 15_000,
  };
  const api: GraphNode<ApiWant> = {
    id: apiStep(name),
    kind: "talos/api",
    name: "the Kubernetes API",
    comesByItself: true,
    want: { cluster: name, endpoint, controlPlane: { node: first.name, address: first.address } },
    after: [etcd.id, access.id],
    within: [etcd.id],
    group: "cluster",
    stage: "kubernetes",
    cluster: name,
    usualMs: 34_000,
    facts: {
      kubernetes: cluster.kubernetes,
      endpoint,
      vip: cluster.network.vip,
    },
  };
  const nodes: GraphNode<NodesWant> = {
    id: nodesStep(name),
    kind: "talos/nodes",
    name: "all nodes to be Ready",
    comesByItself: true,
    want: {
      cluster: name,
      endpoint,
      nodes: cluster.nodes.map(({ name: node, address }) => ({ name: node, address })),
    },
    after: [
      api.id,
      ...configs.map((config) => config.id),
      ...(machines.networkStep === undefined ? [] : [machines.networkStep]),
    ],
    within: [api.id],
    group: "cluster",
    stage: "kubernetes",
    cluster: name,
    usualMs: 18_000,
  };
  const graph = [secrets, access, ...upgrade.graph, ...configs, etcd, api, nodes];
  return withRecovery(graph, cluster, machines.recovery);
}

/** The control planes that hold the cluster, where others are to join them. */
function joinsOf(
  controlPlanes: Node[],
  { existing }: MachineSteps,
  members: string[],
): { node: string; address: string }[] {
  const holding = controlPlanes.filter(({ name }) => existing.includes(name) && members.includes(name));
  return holding.length < controlPlanes.length
    ? holding.map(({ name, address }) => ({ node: name, address }))
    : [];
}

/** Control planes that hold the cluster change when those that join do vote: two of them away may be too many. */
function describeJoins(
  configs: GraphNode<NodeConfigWant>[],
  joins: { node: string; address: string }[],
): GraphNode<NodeConfigWant>[] {
  if (joins.length === 0) return configs;
  const isJoining = ({ role, node }: GraphNode): boolean =>
    role === "control-plane" && !joins.some((each) => each.node === node);
  const joining = configs.filter(isJoining);
  return configs.map((config) => {
    if (config.role !== "control-plane") return config;
    const index = joining.indexOf(config);
    if (index < 0) return { ...config, after: [...config.after, ...joining.map(({ id }) => id)] };
    const votes = joins.length + index + 1;
    const next = joining[index + 1]?.node;
    const weak = next === undefined ? {} : { weak: toleranceText(votes, `${next} votes`) };
    return { ...config, want: { ...config.want, joins }, facts: { ...config.facts, ...weak } };
  });
}

export const secretsStep = (cluster: string): StepId => `${cluster}/cluster/secrets`;

/** Ends when the Kubernetes API answers. */
export const apiStep = (cluster: string): StepId => `${cluster}/cluster/api`;

/** Ends when every node has started from its own disk and joined. */
export const nodesStep = (cluster: string): StepId => `${cluster}/cluster/nodes`;

const configStep = (cluster: string, node: string): StepId => `${cluster}/config/${node}`;

function describeConfig(
  cluster: Cluster,
  node: Node,
  before: StepId[],
  machines: MachineSteps,
  known: Pick<NodeConfigWant, "intent" | "hops">,
): GraphNode<NodeConfigWant> {
  const machine = machines.stepOf(node.name);
  // No hypervisor shows the console of a machine that it does not run.
  const firstContact = node.machine ? "trust" : talosOf(cluster).firstContact;
  const isTrusted = firstContact === "trust" && node.machine?.fingerprint === undefined;
  return {
    id: configStep(cluster.name, node.name),
    kind: "talos/config",
    name: `config of ${node.name}`,
    want: {
      cluster: cluster.name,
      node: node.name,
      address: node.address,
      ...known,
      machine: { cluster: cluster.name, node: node.name, ...machines.placeOf(node.name) },
      firstContact,
      fingerprint: node.machine?.fingerprint,
    },
    after: [machine, ...before],
    within: [machine],
    group: "nodes",
    stage: "distro",
    cluster: cluster.name,
    node: node.name,
    role: node.role,
    drains: "restart",
    usualMs: 25_000,
    facts: isTrusted ? { firstContact: "trust" } : undefined,
  };
}
