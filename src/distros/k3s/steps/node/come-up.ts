import { conditionOf, type KubeNode } from "../../../../clients/kube/index.ts";
import { SlipwayError } from "../../../../errors/index.ts";
import type { Seen, StepContext } from "../../../../plan/index.ts";
import { seeDoctor } from "../../../kubernetes/index.ts";
import {
  hearUnit,
  unlessLost,
  waitForUnit,
  type HostSession,
  type StartingUnit,
  type UnitBefore,
} from "../../../linux-hosts/index.ts";
import { journalError } from "../../journal/journal-errors.ts";
import { reasonIn, type JournalCode } from "../../journal/journal.ts";
import { servedHash } from "../../files/trust.ts";
import { unitName } from "../../files/unit-file.ts";
import { serverUrl, type K3sAccess } from "../../k3s-access.ts";
import type { NodeWant } from "./node-want.ts";

/** How things stood before the unit was started. */
export interface Before extends UnitBefore {
  /** Where it was told to join. */
  server?: string | undefined;
}

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
    ...{ node: want.node, unit, caHash: servedHash(await access.bundle(want.cluster)) },
    server: before?.server,
  };
  const starting: StartingUnit<JournalCode> = {
    ...{ guest: want, unit, before, reasonIn },
    errorOf: (reason) => journalError(subject, reason),
  };
  await waitForUnit(ctx, host, starting);
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
        const { cause } = await hearUnit(host, starting, signal);
        return { done: false, seen, cause };
      }),
  );
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
    ? "its etcd member is still a learner"
    : `etcd does not count it yet${voter?.message === undefined ? "" : `: ${voter.message}`}`;
}
