import type { NodeResource } from "./node-resource.ts";
import type { TalosNode } from "./node.ts";
import { specProto } from "./spec-proto.ts";

/** What a node knows of its cluster: the members discovery tells, and its own place in etcd. */
export function clusterResources(node: TalosNode): NodeResource[] {
  const { cluster, config } = node;
  if (cluster === undefined || config === undefined) return [];
  const known = config.hasDiscovery ? [...cluster.nodes].filter((other) => other.config?.hasDiscovery) : [];
  const memberId = node.disk.etcdMemberId;
  return [
    ...known.map(member),
    ...(node.isControlPlane && memberId !== undefined
      ? [{ type: "EtcdMembers.etcd.talos.dev", id: "local", spec: { memberID: memberId } }]
      : []),
  ];
}

function member(node: TalosNode): NodeResource {
  const spec = {
    nodeId: node.nodeId,
    addresses: node.addresses(),
    hostname: node.hostname(),
    machineType: node.config?.role ?? "worker",
    operatingSystem: `Talos (v${node.disk.version})`,
  };
  return {
    type: "Members.cluster.talos.dev",
    id: node.hostname(),
    spec: { ...spec, ...(node.isControlPlane && { controlPlane: { port: 6443 } }) },
    proto: specProto.member(spec),
  };
}
