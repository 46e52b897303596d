import type { Graph, GraphNode, Provider, Survey } from "../../../src/plan/index.ts";
import type { MachineWant } from "../../../src/providers/proxmox/machine/machine-want.ts";
import type { TemplateWant } from "../../../src/providers/proxmox/template/template.ts";
import type { Cluster, Host, MachineBootSource, Node } from "../../../src/spec/index.ts";
import {
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNeeds,
  siteNode,
  type ProxmoxSite,
  type ProxmoxSiteOptions,
} from "./site.ts";

export const one = siteHost("one", "pve1");
export const two = siteHost("two", "pve2");
export const fromTemplate = {
  kind: "template" as const,
  clone: "auto" as const,
  vmids: { "control-plane": 9000, worker: 9100 },
} satisfies MachineBootSource;

const local = "  local: { type: dir, size: 100GiB, content: [iso, import] }";
export const storage = (kind: string, more = "") =>
  `${local}\n  fast: { type: ${kind}, size: 500GiB, content: [images]${more} }`;

export const nodes = [
  siteNode("cp-1"),
  siteNode("worker-1", { address: "10.1.0.12", mac: "02:aa:bb:cc:dd:02" }),
];
export const clusterOf = (more: Partial<Cluster> = {}, wanted: Node[] = nodes): Cluster =>
  siteCluster(wanted, { bootSource: fromTemplate, on: ["one", "two"], ...more });

interface Plan {
  survey: Survey;
  graph: Graph;
}

/** A look and the graph that follows from it, each node on its host. */
export async function plan(
  site: ProxmoxSite,
  cluster = clusterOf(),
  hosts: Host[] = [one, one],
  provider: Provider = site.provider,
): Promise<Plan> {
  const survey = await provider.survey(site.ctx, [...new Set(hosts)]);
  const placed = cluster.nodes.map((node, index) => ({
    node,
    host: hosts[index] ?? one,
    id: node.vmid ?? 2000 + index,
  }));
  return { survey, graph: provider.describe(cluster, placed, siteNeeds(survey)) };
}

const ofKind = <Want>(graph: Graph, kind: string): GraphNode<Want>[] =>
  graph.filter((node) => node.kind === kind) as GraphNode<Want>[];
export const templatesIn = (graph: Graph) => ofKind<TemplateWant>(graph, "proxmox/template");
export const machinesIn = (graph: Graph) => ofKind<MachineWant>(graph, "proxmox/machine");

/** Makes everything of a graph that is of these kinds, in its order. */
export async function make(
  site: ProxmoxSite,
  graph: Graph,
  kinds = ["image", "template", "machine"],
): Promise<void> {
  for (const node of graph) {
    if (kinds.some((kind) => node.kind === `proxmox/${kind}`))
      await site.resource(node.kind).create(site.ctx, node.want);
  }
}

export const config = (site: ProxmoxSite, vmid: number, node = "pve1") =>
  site.client.machineConfig({ node, vmid });
export const sitesOf = (kind: string, more: ProxmoxSiteOptions = {}) =>
  proxmoxSite({ storages: storage(kind), ...more });
