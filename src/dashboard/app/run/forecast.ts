import { criticalPath, type StepId } from "../../../plan/index.ts";
import { pathOf, type RunState, type StepState } from "../../../views/index.ts";

export interface Span {
  fromMs: number;
  toMs: number;
}

/** Where every step stands in time: as it was, or as it will be by earlier runs. A step that nothing is known about is left out. */
export function placeSteps(state: RunState, nowMs: number): Map<StepId, Span> {
  const placed = new Map<StepId, Span>();
  const isGoingOn = state.done === undefined && state.failures.length === 0;
  const visiting = new Set<StepId>();
  const place = (step: StepState): Span | undefined => {
    const id = step.planned.id;
    const known = placed.get(id);
    if (known) return known;
    // A circle ends here, whoever made it.
    if (visiting.has(id)) return undefined;
    visiting.add(id);
    const span = step.startedMs === undefined ? expected(step) : happened(step, nowMs, isGoingOn);
    if (span) placed.set(id, span);
    return span;
  };
  const expected = (step: StepState): Span | undefined => {
    if (!isGoingOn || step.status === "skipped" || step.status === "failed") return undefined;
    const ends = step.planned.after.flatMap((id) => {
      const needed = state.steps.get(id);
      return (needed && place(needed)?.toMs) ?? [];
    });
    const fromMs = Math.max(nowMs, ...ends);
    return { fromMs, toMs: fromMs + (step.planned.usualMs ?? 0) };
  };
  for (const step of state.steps.values()) place(step);
  return placed;
}

function happened({ startedMs = 0, endedMs, planned }: StepState, nowMs: number, isGoingOn: boolean): Span {
  if (endedMs !== undefined) return { fromMs: startedMs, toMs: endedMs };
  const usualEnd = isGoingOn ? startedMs + (planned.usualMs ?? 0) : 0;
  return { fromMs: startedMs, toMs: Math.max(nowMs, usualEnd) };
}

/** The critical path: as the run told it, else through what was done and what is expected. */
export function expectedPath(state: RunState, placed: Map<StepId, Span>): StepId[] {
  if (state.done || state.failures.length > 0) return pathOf(state);
  const timed = [...placed].flatMap(([id, { fromMs, toMs }]) => {
    const step = state.steps.get(id);
    if (!step || toMs <= fromMs) return [];
    const { waitedMs, queuedMs, behind, planned } = step;
    return [{ step: id, after: planned.after, startMs: fromMs, endMs: toMs, waitedMs, queuedMs, behind }];
  });
  return criticalPath(timed).path;
}
