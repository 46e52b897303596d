import { conditionOf, type KubeNode } from "../../../clients/kube/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import type { Seen, StepContext } from "../../../plan/index.ts";
import { seeDoctor } from "../../kubernetes/index.ts";
import { isStarting } from "../../linux/index.ts";
import { journalError } from "../errors.ts";
import { reasonIn, type JournalReason } from "../journal.ts";
import { caHash } from "../trust.ts";
import { unitName } from "../unit-file.ts";
import type { HostSession } from "./host-session.ts";
import { linesSince, plainLine } from "./journal-lines.ts";
import { serverUrl, type K3sAccess } from "./k3s-access.ts";
import type { NodeWant } from "./node-want.ts";
import { unitInWords, type UnitState } from "./unit-state.ts";

/** How things stood before the unit was started. */
export interface Before {
  journal: string[];
  unit: UnitState;
  /** Where it was told to join. */
  server?: string;
}

export const journalLength = 200;
const deadlineMs = 15 * 60_000;

/**
 * Waits until K3s runs and the node counts: systemd has heard from it, Kubernetes knows it in its version, and etcd lets
 * it vote. What its journal says meanwhile is shown; what it will never get over ends the wait at once.
 */
export async function waitUntilUp(
  access: K3sAccess,
  ctx: StepContext,
  host: HostSession,
  want: NodeWant,
  before: Before | undefined,
): Promise<void> {
  const unit = unitName(want.role);
  const subject = {
    ...{ node: want.node, unit, caHash: caHash((await access.bundle(want.cluster)).authorities.server.cert) },
    ...(before?.server !== undefined && { server: before.server }),
  };
  const judge = (lines: string[]): JournalReason | undefined => {
    const reason = reasonIn(lines);
    if (reason && !reason.isPassing && !reason.isWarning) throw journalError(subject, reason);
    return reason;
  };
  const said = async (signal: AbortSignal): Promise<{ last?: string; cause?: string }> => {
    const lines = linesSince(before?.journal ?? [], await host.journal(unit, journalLength, signal));
    const reason = judge(lines);
    const last = lines.at(-1);
    return {
      ...(last !== undefined && { last: plainLine(last) }),
      ...(reason && { cause: journalError(subject, reason).why }),
    };
  };
  await ctx.waitFor(
    {
      what: `${unit} on ${want.node} to come up`,
      probe: "ssh",
      deadlineMs,
      usualMs: 30_000,
      everyMs: 1_000,
      next: seeJournal(want, unit),
    },
    async (signal): Promise<Seen<true>> =>
      unlessLost(async () => {
        const state = await host.unit(unit, signal);
        const isFresh = before === undefined || state.mainPid !== before.unit.mainPid;
        if (state.active === "active" && isFresh) return { done: true, value: true };
        const { last, cause } = await said(signal);
        return {
          done: false,
          seen: last ?? unitInWords(state),
          ...(cause !== undefined && { cause }),
        };
      }),
  );
  await ctx.waitFor(
    {
      what: want.role === "server" ? `${want.node} to be a voting member` : `${want.node} to be registered`,
      probe: "https",
      deadlineMs,
      usualMs: 15_000,
      everyMs: 500,
      next: seeDoctor(want.cluster),
    },
    async (signal): Promise<Seen<true>> =>
      unlessLost(async () => {
        const seen = await whyNotCounted(access, want, signal);
        if (seen === undefined) return { done: true, value: true };
        const { cause } = await said(signal);
        return { done: false, seen, ...(cause !== undefined && { cause }) };
      }),
  );
}

const seeJournal = ({ cluster, node }: NodeWant, unit: string): string =>
  `Read all of it: slipway ssh ${cluster}/${node} -- sudo journalctl -u ${unit} -b; "slipway up ${cluster}" then goes on from here`;

/** A node that is busy starting may lose a connection. */
async function unlessLost<T>(look: () => Promise<Seen<T>>): Promise<Seen<T>> {
  try {
    return await look();
  } catch (thrown) {
    if (isStarting(thrown)) return { done: false, seen: thrown.why };
    throw thrown;
  }
}

/** Undefined when Kubernetes knows the node in its version and, if it is a server, etcd lets it vote. */
async function whyNotCounted(
  access: K3sAccess,
  want: NodeWant,
  signal: AbortSignal,
): Promise<string | undefined> {
  const server = want.role === "server" ? serverUrl(want.address) : want.endpoint;
  try {
    const kube = await access.kube(want.cluster, server);
    if (want.role === "server" && !(await kube.isReady(signal))) return "its API is not ready yet";
    const node = await kube.get<KubeNode>({ apiVersion: "v1", kind: "Node", name: want.node }, signal);
    if (!node) return "Kubernetes does not know it yet";
    const version = node.status?.nodeInfo?.kubeletVersion;
    if (version !== `v${want.version}`) return `its kubelet says ${version ?? "nothing yet"}`;
    return want.role === "server" ? whyNoVoter(node) : undefined;
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof SlipwayError) return thrown.why;
    throw thrown;
  }
}

/** The leader of etcd writes it down for every member. */
function whyNoVoter(node: KubeNode): string | undefined {
  const voter = conditionOf(node, "EtcdIsVoter");
  if (voter?.status === "True") return undefined;
  return voter?.reason === "MemberIsLearner"
    ? "etcd on it is still learning what the others know"
    : `etcd does not count it yet${voter?.message === undefined ? "" : `: ${voter.message}`}`;
}
