import type { EtcdMember, TalosClient } from "../../../../clients/talos/index.ts";
import type { Limits } from "../../../../lib/index.ts";
import type { MachineSteps } from "../../../../plan/index.ts";
import type { Cluster } from "../../../../spec/index.ts";
import { unlessUnreachable } from "../../../kubernetes/index.ts";
import { askEtcdStatus, membersOf } from "../etcd-status.ts";
import type { TalosAccess } from "../../talos-access.ts";

/** A member of etcd, as the others list it and as it answers itself. */
export interface KnownMember {
  id: string;
  name: string;
  address: string;
  isLearner: boolean;
  /** It answers, knows a leader, and complains of nothing. */
  isHealthy: boolean;
}

/** All members of etcd, as those of `addresses` tell that answer. Undefined when none of them does. */
export async function askMembers(
  access: TalosAccess,
  cluster: string,
  addresses: string[],
  limits: Limits,
): Promise<KnownMember[] | undefined> {
  const members = await listMembers(access, cluster, addresses, limits);
  return members && Promise.all(members.map((member) => knownMember(access, cluster, member, limits)));
}

/** The control planes of a cluster that etcd counts, where some machine of them is there and others may join it. */
export async function countedControlPlanes(
  access: TalosAccess,
  cluster: Cluster,
  { existing }: MachineSteps,
): Promise<string[]> {
  const controlPlanes = cluster.nodes.filter(({ role }) => role === "control-plane");
  const known = controlPlanes.filter(({ name }) => existing.includes(name));
  if (controlPlanes.length < 2 || known.length === 0 || !(await access.findBundle(cluster.name))) return [];
  const limits = { clock: access.world.clock, signal: new AbortController().signal };
  const addresses = known.map(({ address }) => address);
  const members = (await listMembers(access, cluster.name, addresses, limits)) ?? [];
  return members.map(({ hostname }) => hostname);
}

async function listMembers(
  access: TalosAccess,
  cluster: string,
  addresses: string[],
  limits: Limits,
): Promise<EtcdMember[] | undefined> {
  const lists = await Promise.all(
    addresses.map((address) => askEtcd(access, cluster, address, limits, membersOf)),
  );
  return lists.find((list) => list !== undefined);
}

/** An etcd that does not run is not asked: its node would wait with the answer. */
const askEtcd = <T>(
  access: TalosAccess,
  cluster: string,
  address: string,
  limits: Limits,
  ask: (node: TalosClient, signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> =>
  unlessUnreachable(limits, (signal) =>
    access.using(cluster, address, async (node) =>
      (await askEtcdStatus(node, { signal }))?.state === "Running" ? ask(node, signal) : undefined,
    ),
  );

async function knownMember(
  access: TalosAccess,
  cluster: string,
  { id, hostname, peerUrls: [peerUrl], isLearner }: EtcdMember,
  limits: Limits,
): Promise<KnownMember> {
  const address = peerUrl === undefined ? "" : new URL(peerUrl).hostname.replace(/^\[|\]$/g, "");
  const status =
    address === ""
      ? undefined
      : await askEtcd(access, cluster, address, limits, (node, signal) => node.etcdStatus({ signal }));
  const isHealthy =
    status?.memberId === id && BigInt(`0x${status.leaderId}`) !== 0n && status.errors.length === 0;
  return { id, name: hostname, address, isLearner, isHealthy };
}

/**
 * Why etcd cannot do without a member, if that is so: it decides by more than half of its voters, before and after. Those
 * `gone` have left by then.
 */
export function spareProblem(
  members: KnownMember[],
  leaving: string,
  gone: string[] = [],
): string | undefined {
  const voters = members.filter(({ name, isLearner }) => !isLearner && !gone.includes(name));
  const learner = members.find(({ name, isLearner }) => isLearner && name !== leaving);
  if (learner) return `${learner.name || "a new member"} is joining and does not vote yet`;
  const staying = voters.filter(({ name }) => name !== leaving);
  if (staying.length === 0) return `${leaving} is its only member`;
  const healthy = staying.filter(({ isHealthy }) => isHealthy).length;
  const helping = voters.some(({ name, isHealthy }) => name === leaving && isHealthy) ? 1 : 0;
  const needed = Math.max(majority(staying.length), majority(voters.length) - helping);
  if (healthy >= needed) return undefined;
  const sick = staying.filter(({ isHealthy }) => !isHealthy).map(({ name }) => name);
  return `of the members that stay ${healthy} of ${staying.length} are healthy, and ${needed} have to be: ${sick.join(" and ")} cannot be heard`;
}

/** How many of so many voters have to agree. */
const majority = (voters: number): number => Math.floor(voters / 2) + 1;

/** What etcd bears with so many members: `2 members until cp-2 has left: none may fail`. */
export function toleranceText(members: number, until = ""): string {
  const spare = members - majority(members);
  const count = members === 1 ? "1 member" : `${members} members`;
  return `${count}${until === "" ? "" : ` until ${until}`}: ${spare === 0 ? "none" : String(spare)} may fail`;
}
