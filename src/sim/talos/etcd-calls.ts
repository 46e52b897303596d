import { Code, ConnectError } from "@connectrpc/connect";
import { machineApi } from "../../clients/talos/index.ts";
import { streaming, unary } from "./api-targets.ts";
import type { EtcdMemberState, TalosCluster } from "./cluster.ts";
import type { TalosNode } from "./node.ts";

const snapshotPartBytes = 32 * 1024;

/** The calls about an etcd that runs. */
export const etcdCalls = {
  etcdMemberList: unary((node) => ({ members: clusterWithEtcd(node).members.map(memberMessage) })),
  etcdStatus: unary(status),
  etcdAlarmList: unary((node) => ({ memberAlarms: alarmMessages(node, clusterWithEtcd(node)) })),
  etcdAlarmDisarm: unary((node) => {
    const cluster = clusterWithEtcd(node);
    const memberAlarms = alarmMessages(node, cluster);
    cluster.disarm();
    return { memberAlarms };
  }),
  etcdDefragment: unary((node) => {
    clusterWithEtcd(node);
    return {};
  }),
  etcdRemoveMemberByID: unary((node, request: machineApi.EtcdRemoveMemberByIDRequest) => {
    const cluster = clusterWithEtcd(node);
    const id = request.memberId.toString(16).padStart(16, "0");
    if (!cluster.members.some((member) => member.id === id)) {
      throw new ConnectError("etcdserver: member not found", Code.NotFound);
    }
    checkSpare(cluster, id);
    cluster.removeMember(id);
    return {};
  }),
  etcdLeaveCluster: unary((node) => {
    leaveEtcd(node);
    return {};
  }),
  etcdForfeitLeadership: unary((node) => {
    const cluster = clusterWithEtcd(node);
    const isLeader = cluster.leader?.id === node.disk.etcdMemberId;
    return { member: (isLeader ? cluster.passLead()?.name : undefined) ?? "" };
  }),
  etcdSnapshot: streaming(function* (node) {
    const snapshot = clusterWithEtcd(node).snapshot();
    for (let at = 0; at < snapshot.length; at += snapshotPartBytes) {
      yield { bytes: snapshot.subarray(at, at + snapshotPartBytes) };
    }
  }),
};

/** Why the node cannot leave etcd in peace; undefined when it can, or has nothing to leave. */
export function leaveProblem(node: TalosNode): string | undefined {
  const { cluster } = node;
  const id = node.disk.etcdMemberId;
  if (!node.isControlPlane || cluster === undefined || id === undefined) return undefined;
  if (!cluster.members.some((member) => member.id === id)) return undefined;
  if (!cluster.hasQuorum) return "etcdserver: no leader";
  if (cluster.members.length === 1)
    return "etcd member count 1 is insufficient: the last member cannot leave";
  return cluster.canSpare(id) ? undefined : notEnoughMembers;
}

const notEnoughMembers = "etcdserver: re-configuration failed due to not enough started members";

function checkSpare(cluster: TalosCluster, id: string): void {
  if (!cluster.canSpare(id)) throw new ConnectError(notEnoughMembers, Code.FailedPrecondition);
}

/** Takes the node out of etcd and empties its data directory. */
export function leaveEtcd(node: TalosNode): void {
  const cluster = clusterWithEtcd(node);
  const id = node.disk.etcdMemberId;
  if (id === undefined) return;
  const problem = leaveProblem(node);
  if (problem !== undefined) throw new ConnectError(problem, Code.FailedPrecondition);
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

function alarmMessages(node: TalosNode, cluster: TalosCluster) {
  const full = node.world.faults.cluster.find("etcd-alarm") === undefined ? [] : cluster.members;
  const standing = full.map((member) => ({ memberId: member.id, alarm: "NOSPACE" as const }));
  return [...cluster.alarms, ...standing].map(({ memberId, alarm }) => ({
    memberId: BigInt(`0x${memberId}`),
    alarm: machineApi.EtcdMemberAlarm_AlarmType[alarm],
  }));
}

const memberMessage = (member: EtcdMemberState) => ({
  id: BigInt(`0x${member.id}`),
  hostname: member.name,
  peerUrls: [`https://${member.address}:2380`],
  clientUrls: [`https://${member.address}:2379`],
  isLearner: member.isLearner,
});
