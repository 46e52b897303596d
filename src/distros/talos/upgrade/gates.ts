import type { EtcdMember, EtcdStatus } from "../../../clients/talos/index.ts";
import { isNodeReady } from "../../../clients/kube/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import type { Seen, StepContext } from "../../../plan/index.ts";
import { seeDoctor } from "../../kubernetes/index.ts";
import type { TalosAccess } from "../talos-access.ts";
import { etcdPair } from "./errors.ts";

/** The node that is next, and those that have to hold the cluster meanwhile. */
export interface GateWant {
  cluster: string;
  endpoint: string;
  node: string;
  controlPlanes: { node: string; address: string }[];
}

const gateWait = { probe: "gate", deadlineMs: 10 * 60_000, everyMs: 2_000, usualMs: 2_000 };
/** A member that is further behind than this has not caught up. */
const mostEntriesBehind = 1_000n;
const answerMs = 5_000;

/**
 * Holds until etcd is whole on every control plane and all other nodes are Ready, but for those that are `away` because it
 * is their turn as well. Nothing of this node is touched before.
 */
export async function passGates(
  access: TalosAccess,
  ctx: StepContext,
  want: GateWant,
  away: () => string[],
): Promise<void> {
  const what = `etcd to be whole and all other nodes to be Ready, before ${want.node}`;
  await ctx.waitFor({ ...gateWait, what, next: seeDoctor(want.cluster) }, async (): Promise<Seen<true>> => {
    const why = (await etcdTrouble(access, want)) ?? (await nodeTrouble(access, want, away()));
    return why === undefined ? { done: true, value: true } : { done: false, seen: why };
  });
}

interface Voice {
  node: string;
  members: EtcdMember[];
  status: EtcdStatus | undefined;
}

async function etcdTrouble(access: TalosAccess, want: GateWant): Promise<string | undefined> {
  const voices = await Promise.all(want.controlPlanes.map((each) => askMember(access, want.cluster, each)));
  const silent = voices.find((voice) => "why" in voice);
  if (silent && "why" in silent) return `etcd on ${silent.node}: ${silent.why}`;
  const heard = voices.filter((voice): voice is Voice => "members" in voice);
  const [first] = heard;
  if (!first) return "no control plane answers";
  if (first.members.length === 2 && heard.some(({ node }) => node === want.node)) throw etcdPair(want);
  const alarms = await access.using(want.cluster, want.controlPlanes[0]?.address ?? "", (node) =>
    node.etcdAlarms({ timeoutMs: answerMs }),
  );
  return troubleAmong(heard) ?? (alarms.length > 0 ? `etcd has an alarm: ${alarms[0]?.alarm}` : undefined);
}

/** Pure: what speaks against taking one control plane away for a while. */
export function troubleAmong(voices: Voice[]): string | undefined {
  const [first] = voices;
  if (!first) return undefined;
  for (const { node, members, status } of voices) {
    if (setOf(members) !== setOf(first.members))
      return `${node} and ${first.node} know different members of etcd`;
    const unstarted = members.find(({ hostname }) => hostname === "");
    if (unstarted) return `the member ${unstarted.id} of etcd has not started`;
    const learner = members.find(({ isLearner }) => isLearner);
    if (learner) return `${learner.hostname} does not vote in etcd yet`;
    if (!status || /^0*$/.test(status.leaderId)) return `etcd on ${node} has no leader`;
    if (status.errors.length > 0) return `etcd on ${node}: ${status.errors[0]}`;
    if (status.raftIndex - status.appliedIndex > mostEntriesBehind)
      return `etcd on ${node} has not caught up`;
  }
  const { length } = first.members;
  const quorum = Math.floor(length / 2) + 1;
  if (length > 1 && voices.length - 1 < quorum)
    return `of ${length} members of etcd ${voices.length} answer, and ${quorum} must be left`;
  return undefined;
}

const setOf = (members: EtcdMember[]): string =>
  members
    .map(({ id, hostname }) => `${id}=${hostname}`)
    .toSorted()
    .join();

async function askMember(
  access: TalosAccess,
  cluster: string,
  { node, address }: { node: string; address: string },
): Promise<Voice | { node: string; why: string }> {
  try {
    return await access.using(cluster, address, async (client): Promise<Voice> => {
      const [members, status] = await Promise.all([
        client.etcdMembers({ isLocal: true, timeoutMs: answerMs }),
        client.etcdStatus({ timeoutMs: answerMs }),
      ]);
      return { node, members, status };
    });
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return { node, why: thrown.why };
    throw thrown;
  }
}

async function nodeTrouble(access: TalosAccess, want: GateWant, away: string[]): Promise<string | undefined> {
  const nodes = await (await access.kube(want.cluster, want.endpoint)).nodes();
  const excused = new Set([want.node, ...away]);
  const sick = nodes.filter((node) => !excused.has(node.metadata.name) && !isNodeReady(node));
  return sick.length === 0 ? undefined : `not Ready: ${sick.map(({ metadata }) => metadata.name).join(", ")}`;
}
