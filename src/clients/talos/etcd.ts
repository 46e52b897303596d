import type { Caller, TalosCallOptions } from "./caller.ts";
import { MachineService } from "./gen/machine_pb.ts";

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
  raftTerm: bigint;
  errors: string[];
}

const hex = (id: bigint): string => id.toString(16).padStart(16, "0");

export function etcdMembers(caller: Caller, options: TalosCallOptions = {}): Promise<EtcdMember[]> {
  return caller.call(MachineService, "EtcdMemberList", options, async (client, o) => {
    const { messages } = await client.etcdMemberList({}, o);
    return (messages[0]?.members ?? []).map((member) => ({
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
    const status = (await client.etcdStatus({}, o)).messages[0]?.memberStatus;
    if (status === undefined) return undefined;
    return {
      memberId: hex(status.memberId),
      leaderId: hex(status.leader),
      isLearner: status.isLearner,
      version: status.storageVersion,
      dbSizeBytes: status.dbSize,
      raftIndex: status.raftIndex,
      raftTerm: status.raftTerm,
      errors: status.errors,
    };
  });
}

export async function removeEtcdMember(
  caller: Caller,
  id: string,
  options: TalosCallOptions = {},
): Promise<void> {
  await caller.call(MachineService, "EtcdRemoveMemberByID", options, (client, o) =>
    client.etcdRemoveMemberByID({ memberId: BigInt(`0x${id}`) }, o),
  );
}

export async function leaveEtcd(caller: Caller, options: TalosCallOptions = {}): Promise<void> {
  await caller.call(MachineService, "EtcdLeaveCluster", options, (client, o) =>
    client.etcdLeaveCluster({}, o),
  );
}
