import { RemoteTimer, type CallTrace, type Clock } from "../lib/index.ts";
import type { AnyResource, Change, StepContext, Tell, Seen, StepId, Wait } from "../plan/index.ts";
import type { LockTable } from "./lock-table.ts";
import { repeatTransient } from "./repeat-transient.ts";
import { StepHeld, type RollingGroups } from "./rolling-groups.ts";
import { describeCause, SlipwayError } from "../errors/index.ts";
import { waitedTooLong } from "./errors.ts";

interface StepWorld {
  clock: Clock;
  /** Counts the time that steps wait for other machines. */
  calls: CallTrace;
  /** Aborted when the step must let go at once. */
  signal: AbortSignal;
  /** Aborted when the run is being stopped: waits end, work in flight may finish. */
  stop: AbortSignal;
  /** Aborted when no further node may be touched, while work in flight goes on. */
  halt: AbortSignal | undefined;
  locks: LockTable;
  groups: RollingGroups;
  /** A step that has to be over before this one takes its node away, if one is left. */
  behind(): StepId | undefined;
  /** Why no further node may be touched for this step now, if that is so. */
  closed(): string | undefined;
  tell: Tell;
}

/** It was still waiting for its turn when nothing new was to begin. */
export class StepHalted extends Error {}

export interface StepTimes {
  tookMs: number;
  waitedMs: number;
  queuedMs: number;
}

const progressEveryMs = 1_000;

/** Carries out one change. What may pass is tried again after looking at what is there by then. */
export async function runStep(
  change: Change,
  resource: AnyResource,
  world: StepWorld,
): Promise<StepTimes & { have: unknown }> {
  const { clock, tell } = world;
  const step = change.node.id;
  const timer = new RemoteTimer(() => clock.now());
  const startedAt = clock.now();
  let queuedMs = 0;
  let progressAt = -Infinity;
  const waitSignal = AbortSignal.any([world.signal, world.stop]);

  const ctx: StepContext = {
    signal: world.signal,
    clock,
    log: (level, text) => tell({ type: "log", level, text, step }),
    waitFor: (wait, probe) => waitFor({ step, clock, signal: waitSignal, timer, tell }, wait, probe),
    progress(done, total, unit) {
      if (clock.now() - progressAt < progressEveryMs && done < total) return;
      progressAt = clock.now();
      tell({ type: "progress", step, done, total, unit });
    },
    async holding(lock, places, work) {
      const askedAt = clock.now();
      const onQueued = (behind: string) => tell({ type: "queued", step, lock, behind });
      return world.locks.holding(lock, places, step, waitSignal, onQueued, (hasQueued) => {
        queuedMs += clock.now() - askedAt;
        if (hasQueued) tell({ type: "started", step, action: change.action });
        return work();
      });
    },
    async rolling(group, work, goesAlone) {
      const askedAt = clock.now();
      const onQueued = (behind: string) => tell({ type: "queued", step, lock: group, behind });
      const { node, atOnce: most = 1 } = change.node;
      const atOnce = most > 1 && (await goesAlone?.()) ? 1 : most;
      const turn = { step, node, atOnce, behind: world.behind };
      const turnSignal = world.halt ? AbortSignal.any([waitSignal, world.halt]) : waitSignal;
      const hasQueued = await world.groups
        .enter(group, turn, turnSignal, onQueued)
        .catch((thrown: unknown) => {
          throw thrown === world.halt?.reason ? new StepHalted() : thrown;
        });
      queuedMs += clock.now() - askedAt;
      ctx.demandOpen();
      if (hasQueued) tell({ type: "started", step, action: change.action });
      const done = await work(() => world.groups.others(group, step));
      world.groups.leave(group, step);
      return done;
    },
    demandOpen() {
      const why = world.closed();
      if (why !== undefined) throw new StepHeld(why);
    },
  };

  // Where time is virtual, steps of one instant begin one after the other, in the same order every time.
  await clock.sleep(0, waitSignal);
  tell({ type: "started", step, action: change.action });
  const work = async (): Promise<unknown> => {
    let isDone = false;
    try {
      const found = await attempt(change, resource, ctx, world);
      isDone = true;
      return found;
    } finally {
      world.groups.end(step, !isDone);
    }
  };
  const have = await world.calls.timing(timer, work, step);
  const tookMs = clock.now() - startedAt;
  return { have, tookMs, waitedMs: Math.min(timer.totalMs, tookMs), queuedMs };
}

const attempt = (
  change: Change,
  resource: AnyResource,
  ctx: StepContext,
  world: StepWorld,
): Promise<unknown> =>
  repeatTransient(
    {
      clock: ctx.clock,
      stop: AbortSignal.any([world.signal, world.stop]),
      onRepeat: (repeat) => world.tell({ type: "retried", step: change.node.id, ...repeat }),
    },
    (count) => (count === 1 ? carryOut(change, resource, ctx) : readThenCarryOut(change, resource, ctx)),
  );

function carryOut(change: Change, resource: AnyResource, ctx: StepContext): Promise<unknown> {
  const { want } = change.node;
  switch (change.action) {
    case "create":
      return resource.create(ctx, want);
    case "update":
      return resource.update(ctx, want, change.have);
    case "replace":
      return resource.remove(ctx, change.have).then(() => resource.create(ctx, want));
    case "remove":
      return resource.remove(ctx, change.have);
  }
}

/** How far a failed attempt came is not known, so reality is asked first. */
async function readThenCarryOut(change: Change, resource: AnyResource, ctx: StepContext): Promise<unknown> {
  const { want } = change.node;
  const have = await resource.read(ctx, want);
  if (change.action === "remove") return have === undefined ? undefined : resource.remove(ctx, have);
  if (have === undefined) return resource.create(ctx, want);
  const difference = resource.compare(want, have);
  if (difference.same) return have;
  return carryOut({ ...change, action: difference.action, have }, resource, ctx);
}

const defaultEveryMs = 250;
const firstMs = 50;
const heartbeatMs = 10_000;
/** By how much of what it took the end of a wait may be noticed too late. */
const tolerableDelay = 0.01;

interface WaitWorld {
  step: StepId;
  clock: Clock;
  signal: AbortSignal;
  timer: RemoteTimer;
  tell: Tell;
}

/** Polls until the probe is done. A probe that throws something transient has only seen something. */
async function waitFor<T>(
  world: WaitWorld,
  wait: Wait,
  probe: (signal: AbortSignal) => Promise<Seen<T>>,
): Promise<T> {
  const { clock, signal } = world;
  const startedAt = clock.now();
  let told = { text: "", at: -Infinity };
  world.timer.enter();
  try {
    // What was started by others in this instant has come as far as it will before the first look.
    await clock.sleep(0, signal);
    for (let tries = 0; ; tries += 1) {
      signal.throwIfAborted();
      const seen = await probeOnce(probe, signal);
      if (seen.done) return seen.value;
      const sinceMs = clock.now() - startedAt;
      const text = `${seen.seen}|${seen.cause ?? ""}`;
      if (text !== told.text || clock.now() - told.at >= heartbeatMs) {
        told = { text, at: clock.now() };
        world.tell({
          type: "waiting",
          step: world.step,
          what: wait.what,
          probe: wait.probe,
          sinceMs: Math.round(sinceMs),
          deadlineMs: wait.deadlineMs,
          usualMs: wait.usualMs,
          lastSeen: seen.seen,
          cause: seen.cause,
        });
      }
      if (sinceMs >= wait.deadlineMs) {
        throw waitedTooLong(wait, `${Math.round(sinceMs / 1000)}s`, seen.seen, seen.cause);
      }
      // What comes at once is noticed at once; what takes long is looked at in its own rhythm, and what takes minutes
      // need not be known to the second.
      const everyMs = Math.max(wait.everyMs ?? defaultEveryMs, sinceMs * tolerableDelay);
      await clock.sleep(Math.min(everyMs, firstMs * 2 ** tries), signal);
    }
  } finally {
    world.timer.leave();
  }
}

async function probeOnce<T>(
  probe: (signal: AbortSignal) => Promise<Seen<T>>,
  signal: AbortSignal,
): Promise<Seen<T>> {
  try {
    return await probe(signal);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    if (thrown instanceof SlipwayError && thrown.transient) return { done: false, seen: thrown.why };
    if (thrown instanceof SlipwayError) throw thrown;
    throw new Error(`a probe failed: ${describeCause(thrown)}`, { cause: thrown });
  }
}
