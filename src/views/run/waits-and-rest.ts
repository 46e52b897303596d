import { longestChainMs } from "./longest-chain.ts";
import type { RunState, StepState } from "./run-state.ts";

/** Lines open after this long, at once when a cause is known. */
const opensAfterMs = 5_000;

/** Of many waits only the oldest opens. */
export function findOpenWait(state: RunState, nowMs: number): StepState | undefined {
  let oldest: StepState | undefined;
  for (const step of state.steps.values()) {
    if (step.status !== "waiting" || !step.wait) continue;
    const isOpen = step.wait.cause !== undefined || nowMs - step.wait.beganMs >= opensAfterMs;
    if (!isOpen) continue;
    if (oldest?.wait === undefined || step.wait.beganMs < oldest.wait.beganMs) oldest = step;
  }
  return oldest;
}

/** How long the longest chain of unfinished steps takes, or undefined when nothing is known about any. */
export function remainingMs(state: RunState, nowMs: number): number | undefined {
  const open: { id: string; after: readonly string[]; step: StepState }[] = [];
  let isAnythingKnown = false;
  for (const step of state.steps.values()) {
    if (step.status === "done" || step.status === "failed" || step.status === "skipped") continue;
    isAnythingKnown ||= step.planned.usualMs !== undefined;
    open.push({ id: step.planned.id, after: step.planned.after, step });
  }
  if (!isAnythingKnown) return undefined;
  return longestChainMs(open, (id) => leftOf(state.steps.get(id), nowMs));
}

function leftOf(step: StepState | undefined, nowMs: number): number {
  if (!step) return 0;
  const usualMs = step.planned.usualMs ?? 0;
  const { progress, startedMs } = step;
  if (startedMs === undefined) return usualMs;
  if (progress && progress.perSecond > 0 && progress.done < progress.total) {
    const leftMs = ((progress.total - progress.done) / progress.perSecond) * 1000;
    return Math.max(0, leftMs - (nowMs - progress.atMs));
  }
  return Math.max(0, usualMs - (nowMs - startedMs));
}
