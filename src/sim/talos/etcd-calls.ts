import { Code, ConnectError } from "@connectrpc/connect";
import type { machineApi } from "../../clients/talos/index.ts";
import { unary } from "./api-targets.ts";
import type { EtcdMemberState, TalosCluster } from "./cluster.ts";
import type { TalosNode } from "./node.ts";

/** The calls about etcd, Bootstrap first of all. */
export const etcdCalls = {
  bootstrap: unary(bootstrap),
  etcdMemberList: unary((node) => ({ members: clusterWithEtcd(node).members.map(memberMessage) })),
  etcdStatus: unary(status),
  etcdAlarmList: unary((node) => {
    clusterWithEtcd(node);
    return { memberAlarms: [] };
  }),
  etcdRemoveMemberByID: unary((node, request: machineApi.EtcdRemoveMemberByIDRequest) => {
    const id = request.memberId.toString(16).padStart(16, "0");
    if (!clusterWithEtcd(node).removeMember(id)) {
      throw new ConnectError("etcdserver: member not found", Code.NotFound);
    }
    return {};
  }),
  etcdLeaveCluster: unary((node) => {
    leaveEtcd(node);
    return {};
  }),
  etcdForfeitLeadership: unary((node) => ({ member: clusterWithEtcd(node).leader?.name ?? "" })),
};

function bootstrap(node: TalosNode, request: machineApi.BootstrapRequest) {
  const { cluster } = node;
  if (cluster === undefined) {
    throw new ConnectError("method Bootstrap not implemented", Code.Unimplemented);
  }
  if (!node.isControlPlane) {
    throw new ConnectError(
      "bootstrap can only be performed on a control plane node",
      Code.FailedPrecondition,
    );
  }
  if (request.recoverEtcd) {
    throw new ConnectError("etcd recovery is not simulated", Code.Unimplemented);
  }
  if (node.disk.etcdMemberId !== undefined) {
    throw new ConnectError("etcd data directory is not empty", Code.AlreadyExists);
  }
  if (node.services.get("cri")?.isHealthy !== true || node.services.get("etcd")?.state !== "Preparing") {
    throw new ConnectError("bootstrap is not available yet", Code.FailedPrecondition);
  }
  const member = newMember(node, false);
  node.isBootstrapping = true;
  cluster.bootstrap(member);
  node.disk.etcdMemberId = member.id;
  node.save();
  cluster.changed();
  return {};
}

/** What etcd would know of this node. Ids are random, as after a real join. */
export const newMember = (node: TalosNode, isLearner: boolean): EtcdMemberState => ({
  id: node.world.random.bytes(8).toString("hex"),
  name: node.hostname(),
  address: node.address(),
  isLearner,
});

/** Takes the node out of etcd and empties its data directory. */
export function leaveEtcd(node: TalosNode): void {
  const cluster = clusterWithEtcd(node);
  const id = node.disk.etcdMemberId;
  if (id === undefined) return;
  if (cluster.members.length === 1) {
    throw new ConnectError("the last member cannot leave the cluster", Code.FailedPrecondition);
  }
  delete node.disk.etcdMemberId;
  node.isEtcdRunning = false;
  node.services.set("etcd", "Finished", "Service finished successfully");
  node.save();
  cluster.removeMember(id);
}

function status(node: TalosNode) {
  const cluster = clusterWithEtcd(node);
  const own = cluster.members.find((member) => member.id === node.disk.etcdMemberId);
  if (own === undefined) throw new ConnectError("etcdserver: member not found", Code.NotFound);
  const revision = BigInt(cluster.store.revision) + 100n;
  return {
    memberStatus: {
      protocolVersion: "3.6.12",
      storageVersion: "3.6.0",
      dbSize: 20_480_000n,
      dbSizeInUse: 10_240_000n,
      leader: BigInt(`0x${cluster.leader?.id ?? "0"}`),
      raftIndex: revision,
      raftAppliedIndex: revision,
      raftTerm: 2n,
      errors: cluster.hasQuorum ? [] : ["etcdserver: no leader"],
      isLearner: own.isLearner,
      memberId: BigInt(`0x${own.id}`),
    },
  };
}

/** The cluster, when etcd on this node can answer questions about it. */
function clusterWithEtcd(node: TalosNode): TalosCluster {
  const { cluster } = node;
  if (cluster === undefined)
    throw new ConnectError("API is not implemented in maintenance mode", Code.Unimplemented);
  if (!node.isControlPlane) {
    throw new ConnectError("etcd is only available on control plane nodes", Code.FailedPrecondition);
  }
  if (!node.isEtcdRunning) {
    throw new ConnectError("error building etcd client: context deadline exceeded", Code.Unavailable);
  }
  if (!cluster.hasQuorum) throw new ConnectError("etcdserver: no leader", Code.Unavailable);
  return cluster;
}

const memberMessage = (member: EtcdMemberState) => ({
  id: BigInt(`0x${member.id}`),
  hostname: member.name,
  peerUrls: [`https://${member.address}:2380`],
  clientUrls: [`https://${member.address}:2379`],
  isLearner: member.isLearner,
});
