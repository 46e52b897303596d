import type { StepId } from "../../plan/index.ts";

interface Linked {
  id: StepId;
  after: readonly StepId[];
}

/** How long the longest chain of steps takes: no more can be saved by doing things at once. */
export function longestChainMs(steps: Iterable<Linked>, timeOf: (id: StepId) => number): number {
  const byId = new Map<StepId, Linked>();
  for (const step of steps) byId.set(step.id, step);
  const endMs = new Map<StepId, number>();
  const endOf = (step: Linked): number => {
    const known = endMs.get(step.id);
    if (known !== undefined) return known;
    // Also what a step that names itself in a circle finds, so that it ends.
    endMs.set(step.id, 0);
    let beganMs = 0;
    for (const id of step.after) {
      const needed = byId.get(id);
      if (needed) beganMs = Math.max(beganMs, endOf(needed));
    }
    const total = beganMs + timeOf(step.id);
    endMs.set(step.id, total);
    return total;
  };
  let longestMs = 0;
  for (const step of byId.values()) longestMs = Math.max(longestMs, endOf(step));
  return longestMs;
}
