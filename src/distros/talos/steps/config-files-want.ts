import type { Cluster, Node, Role } from "../../../spec/index.ts";
import type { MachineIntent } from "../config/index.ts";

/** A machine config as a file for people. */
export interface ConfigFileWant {
  /** Below the cluster's folder. */
  file: string;
  intent: MachineIntent;
  /** Of a role: a patch made for a node's own network may not fit it, and then there is no such file. */
  isOptional?: boolean;
  /** Of a node that has no machine yet. */
  isToCome?: boolean;
}

export const nodeFile = (node: string): string => `nodes/${node}.yaml`;

/** Whether a file below a cluster's folder is such a config: `up` writes it again, where it may lie there at all. */
export const isConfigFile = (name: string): boolean =>
  /^((controlplane|worker)|nodes\/[^/]+)\.yaml$/.test(name);

/** One file per node, and one per role with what all its nodes share, as `talosctl gen config` writes it. */
export const configFilesOf = (
  cluster: Cluster,
  nodes: { name: string; intent: MachineIntent; isToCome: boolean }[],
  intentOf: (node: Node) => MachineIntent,
): ConfigFileWant[] => [
  ...roleFile(cluster, "control-plane", intentOf),
  ...roleFile(cluster, "worker", intentOf),
  ...nodes.map(({ name, intent, isToCome }) => ({ file: nodeFile(name), intent, isToCome })),
];

function roleFile(cluster: Cluster, role: Role, intentOf: (node: Node) => MachineIntent): ConfigFileWant[] {
  const [first] = cluster.nodes;
  if (!first) return [];
  const node: Node = { ...first, role, patches: [], labels: {}, taints: {}, dataDisks: [] };
  const { hostname: _name, network: _network, ...intent } = intentOf(node);
  const file = role === "worker" ? "worker.yaml" : "controlplane.yaml";
  return [{ file, intent, isOptional: true }];
}
