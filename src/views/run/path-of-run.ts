import { criticalPath, type StepId, type TimedStep } from "../../plan/index.ts";
import type { RunState, StepState } from "./run-state.ts";

/** As the run told it; a run that ended without telling is worked out again. */
export function pathOf(state: RunState): StepId[] {
  const told = state.done?.criticalPath ?? [];
  return told.length > 0 ? told : criticalPath(timedSteps(state)).path;
}

/** What is finished, with its place in time. */
export const timedSteps = (state: RunState): TimedStep[] => [...state.steps.values()].flatMap(timedStep);

function timedStep(step: StepState): TimedStep[] {
  if (step.status !== "done" || step.startedMs === undefined || step.endedMs === undefined) return [];
  return [
    {
      step: step.planned.id,
      after: step.planned.after,
      startMs: step.startedMs,
      endMs: step.endedMs,
      waitedMs: step.waitedMs,
      queuedMs: step.queuedMs,
      behind: step.behind,
    },
  ];
}
