import { RemoteTimer, timingRemote, type Clock } from "../lib/index.ts";
import type { AnyResource, Change, StepContext, Tell } from "../plan/index.ts";
import type { LockTable } from "./lock-table.ts";
import { repeatTransient } from "./repeat-transient.ts";
import type { RollingGroups } from "./rolling-groups.ts";
import { waitFor } from "./wait-for.ts";

export interface StepWorld {
  clock: Clock;
  /** Aborted when the step must let go at once. */
  signal: AbortSignal;
  /** Aborted when the run is being stopped: waits end, work in flight may finish. */
  stop: AbortSignal;
  locks: LockTable;
  groups: RollingGroups;
  tell: Tell;
}

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
    async rolling(group, work) {
      const askedAt = clock.now();
      const onQueued = (behind: string) => tell({ type: "queued", step, lock: group, behind });
      const hasQueued = await world.groups.enter(group, step, waitSignal, onQueued);
      queuedMs += clock.now() - askedAt;
      if (hasQueued) tell({ type: "started", step, action: change.action });
      const done = await work();
      world.groups.leave(group);
      return done;
    },
  };

  tell({ type: "started", step, action: change.action });
  const have = await timingRemote(timer, async () => {
    let isDone = false;
    try {
      const found = await attempt(change, resource, ctx, world);
      isDone = true;
      return found;
    } finally {
      world.groups.end(step, !isDone);
    }
  });
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
    (count) => (count === 1 ? carryOut(change, resource, ctx) : lookThenCarryOut(change, resource, ctx)),
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

/** After a failed attempt nobody knows how far it came, so reality is asked first. */
async function lookThenCarryOut(change: Change, resource: AnyResource, ctx: StepContext): Promise<unknown> {
  const { want } = change.node;
  const have = await resource.read(ctx, want);
  if (change.action === "remove") return have === undefined ? undefined : resource.remove(ctx, have);
  if (have === undefined) return resource.create(ctx, want);
  const difference = resource.compare(want, have);
  if (difference.same) return have;
  return carryOut({ ...change, action: difference.action, have }, resource, ctx);
}
