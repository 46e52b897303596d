import { isNodeReady } from "../../../../clients/kube/index.ts";
import type { TalosProbe } from "../../../../clients/talos/index.ts";
import { SlipwayError } from "../../../../errors/index.ts";
import { ConsoleWatch, type Seen, type StepContext } from "../../../../plan/index.ts";
import { hasKnownAddress } from "../../../../spec/index.ts";
import { seeDoctor } from "../../../kubernetes/index.ts";
import { otherCluster } from "../../errors.ts";
import {
  consoleLost,
  consoleSilent,
  falseNode,
  fingerprintMissing,
  memberUnproven,
  otherFingerprint,
  seedUnread,
} from "./first-contact-errors.ts";
import { pollEveryMs, type NodeConfigWant } from "./node-config-want.ts";
import type { TalosAccess } from "../../talos-access.ts";

/** A node that may have its config: it runs with one of ours, or it waits for one and is known by its key. */
type Met = { state: "ours" } | { state: "seeded" } | { state: "maintenance"; fingerprint: string };

// A node prints its fingerprint before it answers. Nothing printed for this long beside an answer: the line was missed.
const quietMs = 3_000;
// A change of address or name makes a new key, and the answer may be a moment older than the line.
const settleMs = 15_000;
// After a reset everything begins again, the firmware too.
const restartMs = 600_000;
// Kubernetes calls a node NotReady when nothing was heard of it for 40 to 50 seconds.
const missedMs = 75_000;
const answerWait = { deadlineMs: 300_000, usualMs: 18_000 };

/**
 * Waits for a node and finds out that it is the one the hypervisor runs: the key it shows is the key it printed on its
 * serial console. Whoever else answers at its address gets nothing.
 */
export async function meetNode(access: TalosAccess, ctx: StepContext, want: NodeConfigWant): Promise<Met> {
  const { consoles } = access.world;
  if (want.fingerprint !== undefined) return knownNode(access, ctx, want, want.fingerprint);
  if (want.firstContact === "trust") return trustNode(access, ctx, want);
  if (want.firstContact === "seed") return awaitSeeded(access, ctx, want);
  const watch = new ConsoleWatch(ctx, consoles, want.machine, {
    read: printedFingerprint,
    lost: (cause) => consoleLost({ ...want, cause }),
  });
  try {
    const found = await untilAnswered(access, ctx, want);
    if (found.state === "ours") return found;
    await watch.ready();
    const met = await untilProven(access, ctx, want, watch, "missing");
    if (met !== "missed") return met;
    await demandIdle(access, ctx, want);
    ctx.log(
      "info",
      `${want.node} printed its fingerprint before its console was read, and is reset to print it again`,
    );
    // Before, not after: a quick machine prints while the host still says that it is being reset.
    watch.forget();
    await consoles.reset(ctx, want.machine);
    const again = await untilProven(access, ctx, want, watch, "last");
    if (again === "missed") throw watch.isSilent ? consoleSilent(want) : fingerprintMissing(want);
    return again;
  } finally {
    watch.close();
  }
}

/** The file says what it shows. */
async function knownNode(
  access: TalosAccess,
  ctx: StepContext,
  want: NodeConfigWant,
  fingerprint: string,
): Promise<Met> {
  const found = await untilAnswered(access, ctx, want);
  if (found.state === "maintenance" && found.fingerprint !== fingerprint)
    throw otherFingerprint({ ...want, written: fingerprint, shown: found.fingerprint });
  return found;
}

/** As the file asks for: the first machine that answers is believed, and that is said. */
async function trustNode(access: TalosAccess, ctx: StepContext, want: NodeConfigWant): Promise<Met> {
  const found = await untilAnswered(access, ctx, want);
  if (found.state === "ours") return found;
  const others = access.isFirstTrust(want.cluster) ? "; so are the other new nodes" : "";
  ctx.log(
    others === "" ? "info" : "warn",
    `${want.node} is trusted on first contact, fingerprint ${found.fingerprint}${others}`,
  );
  return found;
}

/** It has found its config on its drive. One that asks for it is another machine, or could not read the drive. */
async function awaitSeeded(access: TalosAccess, ctx: StepContext, want: NodeConfigWant): Promise<Met> {
  // A worker may stay silent until a control plane has signed its certificate; see talosNodesReady.
  if (want.intent.role === "worker") return { state: "seeded" };
  const found = await untilAnswered(access, ctx, want);
  if (found.state === "maintenance") throw seedUnread(want);
  return { state: "seeded" };
}

type Answered = Exclude<Met, { state: "seeded" }>;

const untilAnswered = (access: TalosAccess, ctx: StepContext, want: NodeConfigWant): Promise<Answered> =>
  ctx.waitFor(
    {
      what: `${placeOf(want)} to answer`,
      probe: "tls",
      everyMs: pollEveryMs(want),
      next: seeDoctor(want.cluster),
      ...answerWait,
    },
    async (signal): Promise<Seen<Answered>> => {
      const probe = await look(access, want, signal);
      return probe.state === "unreachable"
        ? { done: false, seen: probe.reason }
        : { done: true, value: probe };
    },
  );

/** Until key and line are the same; `missed` when the line will not come any more. */
function untilProven(
  access: TalosAccess,
  ctx: StepContext,
  want: NodeConfigWant,
  watch: ConsoleWatch<string>,
  attempt: "missing" | "last",
): Promise<Met | "missed"> {
  const startedAt = ctx.clock.now();
  let differsSince: number | undefined;
  return ctx.waitFor(
    {
      what: `the fingerprint of ${want.node} on its serial console`,
      probe: "console",
      everyMs: pollEveryMs(want),
      next: seeDoctor(want.cluster),
      ...answerWait,
      deadlineMs: restartMs + 60_000,
    },
    async (signal): Promise<Seen<Met | "missed">> => {
      await watch.ready();
      const probe = await look(access, want, signal);
      if (probe.state === "ours") return { done: true, value: probe };
      const now = ctx.clock.now();
      const fingerprint = watch.found;
      if (fingerprint === undefined) {
        const isOver =
          attempt === "last"
            ? now - startedAt >= restartMs
            : probe.state === "maintenance" && watch.quietMs() >= quietMs;
        if (isOver) return { done: true, value: "missed" };
        return {
          done: false,
          seen: probe.state === "unreachable" ? probe.reason : "no fingerprint on the console yet",
        };
      }
      if (probe.state === "unreachable") {
        differsSince = undefined;
        return { done: false, seen: probe.reason };
      }
      if (probe.fingerprint === fingerprint) return { done: true, value: probe };
      differsSince ??= now;
      if (now - differsSince >= settleMs && watch.quietMs() >= quietMs)
        throw falseNode({ ...want, printed: fingerprint, shown: probe.fingerprint });
      return { done: false, seen: "another key than the one on its console" };
    },
  );
}

async function look(
  access: TalosAccess,
  want: NodeConfigWant,
  signal: AbortSignal,
): Promise<Exclude<TalosProbe, { state: "other-cluster" }>> {
  const probe = await access.probe(want.cluster, want.address, signal);
  if (probe.state === "other-cluster") throw otherCluster(want);
  return probe;
}

/**
 * A node that works is never reset, whoever claims at its address that it waits for a config. One whose machine was
 * made anew still counts as Ready until Kubernetes misses it.
 */
async function demandIdle(access: TalosAccess, ctx: StepContext, want: NodeConfigWant): Promise<void> {
  const startedAt = ctx.clock.now();
  await ctx.waitFor(
    {
      what: `Kubernetes to miss ${want.node}, which it knows from before`,
      probe: "https",
      everyMs: 2_000,
      deadlineMs: 2 * missedMs,
      usualMs: missedMs / 2,
      next: seeDoctor(want.cluster),
    },
    async (): Promise<Seen<true>> => {
      if (!(await isReady(access, want))) return { done: true, value: true };
      if (ctx.clock.now() - startedAt >= missedMs) throw memberUnproven(want);
      return { done: false, seen: "it is Ready" };
    },
  );
}

/** Without an API there is no cluster yet that the node could be a part of. */
async function isReady(access: TalosAccess, want: NodeConfigWant): Promise<boolean> {
  try {
    const kube = await access.kube(want.cluster, want.intent.cluster.endpoint);
    return (await kube.nodes()).some((node) => node.metadata.name === want.node && isNodeReady(node));
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
    return false;
  }
}

const placeOf = ({ node, address }: NodeConfigWant): string =>
  hasKnownAddress({ address }) ? `${address}:50000` : `${node}, at the address DHCP gives it,`;

/**
 * `[    9.215] [talos] server certificate issued {…, "controller": "runtime.MaintenanceService…", "fingerprint": "…"}`.
 * The words must stand outside of the fields: names that others give the node are printed too, inside of them.
 */
export function printedFingerprint(line: string): string | undefined {
  const [, fields] = /^[^{"]*\[talos\][^{"]*server certificate issued (\{.*\})\s*$/.exec(line) ?? [];
  if (fields === undefined) return undefined;
  try {
    const { controller, fingerprint } = JSON.parse(fields) as Record<string, unknown>;
    const isTheirs = typeof controller === "string" && /^runtime\.MaintenanceService\w*$/.test(controller);
    const isOne = typeof fingerprint === "string" && /^[A-Za-z0-9+/]{43}=$/.test(fingerprint);
    return isTheirs && isOne ? fingerprint : undefined;
  } catch {
    return undefined;
  }
}
