import type { Affiliate } from "./discovery.ts";
import type { NodeResource } from "./node-resource.ts";
import type { TalosNode } from "./node.ts";
import { specProto } from "./spec-proto.ts";

/** What a node knows of its cluster: the members discovery tells, and its own place in etcd. */
export function clusterResources(node: TalosNode): NodeResource[] {
  const { cluster, config } = node;
  if (cluster === undefined || config === undefined) return [];
  const known = config.hasDiscovery ? cluster.discovery.members(cluster.nodes, node.world.clock.now()) : [];
  const memberId = node.disk.etcdMemberId;
  return [
    ...known.map(member),
    ...(node.isControlPlane && memberId !== undefined
      ? [{ type: "EtcdMembers.etcd.talos.dev", id: "local", spec: { memberID: memberId } }]
      : []),
  ];
}

const member = (affiliate: Affiliate): NodeResource => ({
  type: "Members.cluster.talos.dev",
  id: affiliate.hostname,
  spec: {
    ...affiliate,
    ...(affiliate.machineType === "controlplane" && { controlPlane: { port: 6443 } }),
  },
  proto: specProto.member(affiliate),
});
