import { describeCause, SlipwayError } from "../errors/index.ts";
import type { Clock, RemoteTimer } from "../lib/index.ts";
import type { Seen, StepId, Tell, Wait } from "../plan/index.ts";
import { waitedTooLong } from "./errors.ts";

const defaultEveryMs = 250;
const firstMs = 50;
const heartbeatMs = 10_000;

export interface WaitWorld {
  step: StepId;
  clock: Clock;
  signal: AbortSignal;
  timer: RemoteTimer;
  tell: Tell;
}

/** Polls until the probe is done. A probe that throws something transient has only seen something. */
export async function waitFor<T>(
  world: WaitWorld,
  wait: Wait,
  probe: (signal: AbortSignal) => Promise<Seen<T>>,
): Promise<T> {
  const { clock, signal } = world;
  const startedAt = clock.now();
  let told = { text: "", at: -Infinity };
  world.timer.enter();
  try {
    for (let looks = 0; ; looks += 1) {
      signal.throwIfAborted();
      const seen = await look(probe, signal);
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
          ...(wait.usualMs !== undefined && { usualMs: wait.usualMs }),
          lastSeen: seen.seen,
          ...(seen.cause !== undefined && { cause: seen.cause }),
        });
      }
      if (sinceMs >= wait.deadlineMs) {
        throw waitedTooLong(wait, `${Math.round(sinceMs / 1000)}s`, seen.seen, seen.cause);
      }
      // What comes at once is noticed at once; what takes long is looked at in its own rhythm.
      await clock.sleep(Math.min(wait.everyMs ?? defaultEveryMs, firstMs * 2 ** looks), signal);
    }
  } finally {
    world.timer.leave();
  }
}

async function look<T>(
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
