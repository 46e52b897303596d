import path from "node:path";
import type { GraphNode, MachineSteps, StepId } from "../../plan/index.ts";
import type { K3sCluster, Node } from "../../spec/index.ts";
import { guestOf, systemStep } from "../linux-hosts/index.ts";
import type { WantedArtifacts } from "./release/find-artifacts.ts";
import { configFile } from "./files/config-file.ts";
import { kubeVipManifest } from "./files/kube-vip.ts";
import type { ArtifactsWant } from "./steps/artifacts.ts";
import type { MembershipWant } from "./steps/members/membership.ts";
import { tokenPlaces, type NodeWant } from "./steps/node/node-want.ts";
import { apiStep, artifactsStep, nodeStep, ofNode, roleOf, serversOf } from "./step-names.ts";

/** The release, and where it comes from. */
export const wantedArtifacts = (cluster: K3sCluster): WantedArtifacts => {
  const { version, architecture, artifacts, hasImages } = cluster.distribution;
  return {
    version,
    architecture,
    artifacts: artifacts && besideFile(cluster, artifacts),
    hasImages: hasImages || undefined,
  };
};

/** What has to lie on the machine; of all nodes at the same time. */
export const describeArtifacts = (cluster: K3sCluster, node: Node): GraphNode<ArtifactsWant> => {
  const { packages } = cluster.distribution;
  const system = systemStep(cluster.name, node.name);
  return {
    ...ofNode(cluster, node, artifactsStep(cluster.name, node.name)),
    kind: "k3s/artifacts",
    name: `files of K3s on ${node.name}`,
    want: {
      ...guestOf(cluster, node),
      role: roleOf(node),
      packages,
      ...wantedArtifacts(cluster),
    },
    after: [system],
    within: [system],
    usualMs: 15_000,
  };
};

const besideFile = (
  { at }: K3sCluster,
  artifacts: NonNullable<ArtifactsWant["artifacts"]>,
): NonNullable<ArtifactsWant["artifacts"]> =>
  "folder" in artifacts ? { folder: path.resolve(path.dirname(at.file), artifacts.folder) } : artifacts;

export function describeNode(
  cluster: K3sCluster,
  node: Node,
  machines: MachineSteps,
  secrets: StepId,
): GraphNode<NodeWant> {
  const artifacts = artifactsStep(cluster.name, node.name);
  const servers = serversOf(cluster);
  const isFirst = servers[0] === node;
  const { vip } = cluster.network;
  const { registries, embeddedRegistry } = cluster.distribution.settings;
  return {
    ...ofNode(cluster, node, nodeStep(cluster.name, node.name)),
    kind: "k3s/node",
    name: `K3s on ${node.name}`,
    want: {
      ...guestOf(cluster, node),
      role: roleOf(node),
      version: cluster.distribution.version,
      endpoint: cluster.endpoint,
      vip,
      isFirst: isFirst ? true : undefined,
      peers: servers
        .filter((server) => server !== node)
        .map((server) => ({ ...guestOf(cluster, server), isKnown: machines.existing.includes(server.name) })),
      config: configFile(cluster, node, tokenPlaces),
      registries: registries || embeddedRegistry ? { registries, embeddedRegistry } : undefined,
      kubeVip: isFirst && vip !== undefined ? kubeVipManifest({ vip }) : undefined,
    },
    after: [artifacts, secrets, ...stepsBefore(cluster, node, machines)],
    within: [artifacts],
    drains: "restart",
    usualMs: node.role === "control-plane" ? 40_000 : 20_000,
  };
}

/**
 * Servers one after another. Agents come when the API answers; where servers were there before, after all of them, for a
 * kubelet must not be newer than the API it speaks to.
 */
function stepsBefore(cluster: K3sCluster, node: Node, machines: MachineSteps): StepId[] {
  const servers = serversOf(cluster);
  if (node.role === "control-plane") {
    const before = servers[servers.indexOf(node) - 1];
    return before ? [nodeStep(cluster.name, before.name)] : [];
  }
  const isOld = servers.some(({ name }) => machines.existing.includes(name));
  return [apiStep(cluster.name), ...(isOld ? servers.map(({ name }) => nodeStep(cluster.name, name)) : [])];
}

export function describeMembership(
  cluster: K3sCluster,
  first: Node,
  second: Node,
): GraphNode<MembershipWant> {
  const { vip } = cluster.network;
  const others = serversOf(cluster).filter((server) => server !== first);
  return {
    ...ofNode(cluster, first, `${cluster.name}/membership/${first.name}`),
    kind: "k3s/membership",
    name: `membership of ${first.name}`,
    want: {
      ...guestOf(cluster, first),
      others: [...(vip === undefined ? [] : [vip]), ...others.map(({ address }) => address)],
    },
    // Of itself too: one that is made anew is nobody to log in on before.
    after: [nodeStep(cluster.name, first.name), nodeStep(cluster.name, second.name)],
    within: [nodeStep(cluster.name, first.name)],
    usualMs: 200,
  };
}
