import type { StepId } from "./events.ts";

/** A finished step with its place in time, counted from the start of the run. */
export interface TimedStep {
  step: StepId;
  after: readonly StepId[];
  startMs: number;
  endMs: number;
  /** Time that belonged to other machines: waits and calls. */
  waitedMs: number;
  /** Time behind others at locks. */
  queuedMs: number;
  /** Steps that held those locks, where known. */
  behind?: readonly StepId[];
}

export interface CriticalPath {
  /** First to last. */
  path: StepId[];
  /** Remote time on it: no tool could have been faster with the same steps. */
  floorMs: number;
  /** What is left of the time until the last step ended. */
  ownMs: number;
}

/** Walks back from the last step to finish, each time to the step or lock that freed it last. */
export function criticalPath(steps: readonly TimedStep[]): CriticalPath {
  const byId = new Map(steps.map((step) => [step.step, step]));
  const path: StepId[] = [];
  const visited = new Set<StepId>();
  let floorMs = 0;
  const last = latest(steps);
  let current = last;
  while (current) {
    visited.add(current.step);
    path.unshift(current.step);
    const { step: freedBy, freedMs } = lastFreedBy(current, byId, visited);
    // Behind an unknown holder the queue itself is the hypervisor's time.
    const queuedMs = Math.max(0, current.queuedMs - (freedMs - current.startMs));
    floorMs += Math.min(current.endMs - freedMs, current.waitedMs + queuedMs);
    current = freedBy;
  }
  return { path, floorMs, ownMs: last ? Math.max(0, last.endMs - floorMs) : 0 };
}

function lastFreedBy(
  current: TimedStep,
  byId: Map<StepId, TimedStep>,
  visited: Set<StepId>,
): { step: TimedStep | undefined; freedMs: number } {
  const known = (ids: readonly StepId[]) =>
    ids.flatMap((id) => (visited.has(id) ? [] : (byId.get(id) ?? [])));
  const holder = latest(known(current.behind ?? []).filter((step) => step.endMs <= current.endMs));
  if (holder && holder.endMs > current.startMs) return { step: holder, freedMs: holder.endMs };
  return { step: latest(known(current.after)), freedMs: current.startMs };
}

const latest = (steps: readonly TimedStep[]): TimedStep | undefined =>
  steps.reduce<TimedStep | undefined>(
    (found, step) => (found === undefined || step.endMs > found.endMs ? step : found),
    undefined,
  );
