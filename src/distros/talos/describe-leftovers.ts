import type { Graph, GraphNode, LeftoverNode, StepId } from "../../plan/index.ts";
import { rolloutOf, type Cluster } from "../../spec/index.ts";
import type { MemberWant } from "./steps/members/leave-etcd.ts";
import { toleranceText } from "./steps/members/quorum.ts";
import type { DrainWant, NodeObjectWant } from "./steps/node-object.ts";

/**
 * Pods go before their machine, and after it what Kubernetes remembers of the node. Control planes leave etcd in between,
 * one after the other, and none of them before the pods of all have gone: that may take long or fail, and until then no
 * member is missing.
 */
export function describeLeftovers(
  cluster: Cluster,
  leaving: LeftoverNode[],
  machineStep: (node: string) => StepId,
): Graph {
  const names = new Set(leaving.map(({ node }) => node));
  const staying = cluster.nodes.filter(({ name, role }) => role === "control-plane" && !names.has(name));
  const members = leaving
    .filter(({ role }) => role === "control-plane")
    // One that is gone already only weighs on the others.
    .toSorted((a, b) => Number(b.isOff ?? false) - Number(a.isOff ?? false) || byNumber(b.node, a.node))
    .map(({ node }) => node);
  const pods = (node: string): StepId => `${cluster.name}/pods/${node}`;
  const member = (node: string): StepId => `${cluster.name}/member/${node}`;
  const shared = { group: "cluster", stage: "kubernetes", cluster: cluster.name } as const;
  const forgotten = (node: string): NodeObjectWant => ({
    cluster: cluster.name,
    servers: serversOf(cluster, names),
    node,
  });
  const drains = leaving.map(({ node }): GraphNode<DrainWant> => ({
    ...shared,
    id: pods(node),
    kind: "talos/pods",
    name: `pods of ${node}`,
    title: `Move the pods of ${node} to other nodes`,
    node,
    want: { ...forgotten(node), drainMs: rolloutOf(cluster).drain.timeoutMs },
    // Control planes hold each other's pods back.
    after: previous(members, node).map(pods),
    drains: "removal",
    usualMs: 30_000,
    facts: { because: "evicted before its machine is removed; they start on other nodes" },
  }));
  const departures = members.map((node, index): GraphNode<MemberWant> => ({
    ...shared,
    id: member(node),
    kind: "talos/member",
    name: `etcd member ${node}`,
    title: `Take ${node} out of etcd`,
    node,
    want: {
      cluster: cluster.name,
      node,
      staying: staying.map(({ address }) => address),
      before: members.slice(0, index),
    },
    after: [...members.map(pods), ...previous(members, node).map(member)],
    usualMs: 5_000,
    facts: weakFacts(
      members,
      staying.length,
      leaving.some((each) => each.comesBack && each.role === "control-plane"),
    ),
  }));
  const objects = leaving.map(({ node }): GraphNode<NodeObjectWant> => ({
    ...shared,
    id: `${cluster.name}/node/${node}`,
    kind: "talos/node-object",
    name: `Kubernetes node ${node}`,
    node,
    want: forgotten(node),
    after: [machineStep(node)],
    usualMs: 200,
  }));
  return [...drains, ...departures, ...objects];
}

const byNumber = (a: string, b: string): number => a.localeCompare(b, "en", { numeric: true });

const previous = (members: string[], node: string): string[] => {
  const index = members.indexOf(node);
  return members.slice(Math.max(0, index - 1), Math.max(0, index));
};

/** What etcd bears on the way and at its end. */
function weakFacts(members: string[], staying: number, comeBack: boolean): { weak: string } {
  const last = members.at(-1) ?? "";
  if (comeBack) return { weak: toleranceText(staying, `${members[0] ?? last} votes again`) };
  const between = members.length > 1 ? `${toleranceText(staying + 1, `${last} has left`)}; then ` : "";
  return { weak: `${between}${toleranceText(staying)}` };
}

/** Where Kubernetes answers while these nodes go: at the shared address, or at a control plane that stays. */
function serversOf(cluster: Cluster, leaving: Set<string>): string[] {
  const { hostname, port } = new URL(cluster.endpoint);
  const controlPlanes = cluster.nodes.filter(({ role }) => role === "control-plane");
  const owner = controlPlanes.find(({ address }) => address === hostname);
  const staying = controlPlanes.filter(({ name }) => !leaving.has(name) && name !== owner?.name);
  return [
    ...(owner && leaving.has(owner.name) ? [] : [cluster.endpoint]),
    ...staying.map(
      ({ address }) =>
        `https://${address.includes(":") ? `[${address}]` : address}:${port === "" ? "6443" : port}`,
    ),
  ];
}
