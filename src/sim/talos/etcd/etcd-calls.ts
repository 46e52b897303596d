import { Code, ConnectError } from "@connectrpc/connect";
import { machineApi } from "../../../clients/talos/index.ts";
import { streaming, unary, untilCallerLeaves } from "../api/targets.ts";
import type { EtcdMemberState } from "../../etcd/index.ts";
import type { TalosCluster, TalosNode } from "../node.ts";

const snapshotPartBytes = 32 * 1024;

/** The calls about an etcd that runs. */
export const etcdCalls = {
  etcdMemberList: unary(async (node, _request, _caller, signal) => ({
    members: (await clusterWithEtcd(node, "member list", signal)).members.map(memberMessage),
  })),
  etcdStatus: unary(status),
  etcdAlarmList: unary(async (node, _request, _caller, signal) => ({
    memberAlarms: alarmMessages(node, await clusterWithEtcd(node, "etcd alarm list", signal)),
  })),
  etcdAlarmDisarm: unary(async (node, _request, _caller, signal) => {
    const cluster = await clusterWithEtcd(node, "etcd alarm disarm", signal);
    const memberAlarms = alarmMessages(node, cluster);
    cluster.disarm();
    return { memberAlarms };
  }),
  etcdDefragment: unary(async (node, _request, _caller, signal) => {
    await clusterWithEtcd(node, "etcd defragment", signal);
    return {};
  }),
  etcdRemoveMemberByID: unary(
    async (node, request: machineApi.EtcdRemoveMemberByIDRequest, _caller, signal) => {
      const cluster = await clusterWithEtcd(node, "etcd remove member", signal);
      const id = request.memberId.toString(16).padStart(16, "0");
      if (!cluster.members.some((member) => member.id === id)) {
        throw new ConnectError(removalFailed(id, "etcdserver: member not found"), Code.NotFound);
      }
      if (!cluster.canSpare(id)) {
        throw new ConnectError(
          `failed to remove member: ${removalFailed(id, notEnoughMembers)}`,
          Code.Unknown,
        );
      }
      cluster.removeMember(id);
      return {};
    },
  ),
  etcdLeaveCluster: unary(async (node, _request, _caller, signal) => {
    await clusterWithEtcd(node, "etcd leave", signal);
    leaveEtcd(node);
    return {};
  }),
  etcdForfeitLeadership: unary(async (node, _request, _caller, signal) => {
    const cluster = await clusterWithEtcd(node, "etcd forfeit leadership", signal);
    if (cluster.members.length === 1) {
      throw new ConnectError(
        "failed to forfeit leadership: cannot forfeit leadership, only one member",
        Code.Unknown,
      );
    }
    const isLeader = cluster.leader?.id === node.disk.etcdMemberId;
    return { member: (isLeader ? cluster.passLead()?.name : undefined) ?? "" };
  }),
  etcdSnapshot: streaming(async function* (node, _request, signal) {
    const snapshot = (await clusterWithEtcd(node, "etcd snapshot", signal)).snapshot();
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
  if (cluster.canSpare(id)) return undefined;
  return `failed to leave cluster: 1 error(s) occurred:\n\t${removalFailed(id, notEnoughMembers)}`;
}

const notEnoughMembers = "etcdserver: re-configuration failed due to not enough started members";

/** etcd writes ids in hexadecimal, and this one in decimal. */
const removalFailed = (id: string, why: string): string =>
  `failed to remove member ${BigInt(`0x${id}`)}: ${why}`;

/** Takes the node out of etcd and empties its data directory. */
export function leaveEtcd(node: TalosNode): void {
  const { cluster } = node;
  const id = node.disk.etcdMemberId;
  if (cluster === undefined || id === undefined) return;
  const problem = leaveProblem(node);
  if (problem !== undefined) throw new ConnectError(problem, Code.Unknown);
  delete node.disk.etcdMemberId;
  node.isEtcdRunning = false;
  node.services.set("etcd", "Finished", "Service finished successfully");
  node.save();
  cluster.removeMember(id);
}

async function status(node: TalosNode, _request: unknown, _caller: unknown, signal: AbortSignal) {
  const cluster = await clusterWithEtcd(node, "etcd status", signal);
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

/** The cluster, when etcd on this node can answer questions about it. `call` as the node names it. */
async function clusterWithEtcd(node: TalosNode, call: string, signal: AbortSignal): Promise<TalosCluster> {
  const cluster = controlPlaneCluster(node, call);
  // Before etcd runs, the node waits for it as long as its caller does.
  if (!node.isEtcdRunning) return untilCallerLeaves(signal);
  if (!cluster.hasQuorum) throw new ConnectError("etcdserver: no leader", Code.Unavailable);
  return cluster;
}

/** Only control planes have etcd; in maintenance mode a node is none. */
export function controlPlaneCluster(node: TalosNode, call: string): TalosCluster {
  if (node.cluster !== undefined && node.isControlPlane) return node.cluster;
  throw new ConnectError(`${call} is only available on control plane nodes`, Code.Unimplemented);
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
