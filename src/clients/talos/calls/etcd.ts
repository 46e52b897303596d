import { within, type Caller, type TalosCallOptions } from "../wire/caller.ts";
import { EtcdMemberAlarm_AlarmType, MachineService, type EtcdMemberAlarm } from "../gen/machine_pb.ts";
import { onlyMessage } from "../wire/only-message.ts";

/** Ids as etcd and talosctl write them: 64 bits in lower-case hexadecimal. */
export interface EtcdMember {
  id: string;
  hostname: string;
  peerUrls: string[];
  clientUrls: string[];
  isLearner: boolean;
}

export interface EtcdStatus {
  memberId: string;
  leaderId: string;
  isLearner: boolean;
  version: string;
  dbSizeBytes: bigint;
  raftIndex: bigint;
  appliedIndex: bigint;
  raftTerm: bigint;
  errors: string[];
}

export interface EtcdAlarm {
  memberId: string;
  alarm: "none" | "no-space" | "corrupt";
}

/** The node itself tries for five minutes to leave. */
const leaveTimeoutMs = 6 * 60_000;
/** Rewriting a database of some gibibytes; etcd on the node does nothing else meanwhile. */
const defragmentTimeoutMs = 5 * 60_000;

const hex = (id: bigint): string => id.toString(16).padStart(16, "0");

/** As any member knows them; with `isLocal`, as this node's own does. */
export function etcdMembers(
  caller: Caller,
  options: TalosCallOptions & { isLocal?: boolean } = {},
): Promise<EtcdMember[]> {
  const { isLocal: queryLocal = false } = options;
  return caller.call(MachineService, "EtcdMemberList", options, async (client, o) => {
    const found = onlyMessage(await client.etcdMemberList({ queryLocal }, o))?.members ?? [];
    return found.map((member) => ({
      id: hex(member.id),
      hostname: member.hostname,
      peerUrls: member.peerUrls,
      clientUrls: member.clientUrls,
      isLearner: member.isLearner,
    }));
  });
}

export function etcdStatus(caller: Caller, options: TalosCallOptions = {}): Promise<EtcdStatus | undefined> {
  return caller.call(MachineService, "EtcdStatus", options, async (client, o) => {
    const status = onlyMessage(await client.etcdStatus({}, o))?.memberStatus;
    if (status === undefined) return undefined;
    return {
      memberId: hex(status.memberId),
      leaderId: hex(status.leader),
      isLearner: status.isLearner,
      version: status.storageVersion,
      dbSizeBytes: status.dbSize,
      raftIndex: status.raftIndex,
      appliedIndex: status.raftAppliedIndex,
      raftTerm: status.raftTerm,
      errors: status.errors,
    };
  });
}

/** For a member whose machine is gone; asked of any other that lives. */
export async function removeEtcdMember(
  caller: Caller,
  id: string,
  options: TalosCallOptions = {},
): Promise<void> {
  const request = { memberId: BigInt(`0x${id}`) };
  await caller.call(MachineService, "EtcdRemoveMemberByID", options, async (client, o) =>
    onlyMessage(await client.etcdRemoveMemberByID(request, o)),
  );
}

/** The node takes itself out and empties its data directory. */
export async function leaveEtcd(caller: Caller, options: TalosCallOptions = {}): Promise<void> {
  const inspection = within(options, leaveTimeoutMs);
  await caller.call(MachineService, "EtcdLeaveCluster", inspection, async (client, o) =>
    onlyMessage(await client.etcdLeaveCluster({}, o)),
  );
}

/** The member that leads now; undefined when the node was not the leader. */
export function forfeitEtcdLeadership(
  caller: Caller,
  options: TalosCallOptions = {},
): Promise<string | undefined> {
  return caller.call(
    MachineService,
    "EtcdForfeitLeadership",
    options,
    async (client, o) => onlyMessage(await client.etcdForfeitLeadership({}, o))?.member || undefined,
  );
}

export function etcdAlarms(caller: Caller, options: TalosCallOptions = {}): Promise<EtcdAlarm[]> {
  return caller.call(MachineService, "EtcdAlarmList", options, async (client, o) =>
    readAlarms(onlyMessage(await client.etcdAlarmList({}, o))?.memberAlarms),
  );
}

/** The alarms that were disarmed. One whose reason is still there comes back. */
export function disarmEtcdAlarms(caller: Caller, options: TalosCallOptions = {}): Promise<EtcdAlarm[]> {
  return caller.call(MachineService, "EtcdAlarmDisarm", options, async (client, o) =>
    readAlarms(onlyMessage(await client.etcdAlarmDisarm({}, o))?.memberAlarms),
  );
}

/** One node after the other: the member does not answer while it works. */
export async function defragmentEtcd(caller: Caller, options: TalosCallOptions = {}): Promise<void> {
  const inspection = within(options, defragmentTimeoutMs);
  await caller.call(MachineService, "EtcdDefragment", inspection, async (client, o) =>
    onlyMessage(await client.etcdDefragment({}, o)),
  );
}

const alarmNames = new Map<EtcdMemberAlarm_AlarmType, EtcdAlarm["alarm"]>([
  [EtcdMemberAlarm_AlarmType.NOSPACE, "no-space"],
  [EtcdMemberAlarm_AlarmType.CORRUPT, "corrupt"],
]);

const readAlarms = (alarms: EtcdMemberAlarm[] = []): EtcdAlarm[] =>
  alarms.map(({ memberId, alarm }) => ({
    memberId: hex(memberId),
    alarm: alarmNames.get(alarm) ?? "none",
  }));
