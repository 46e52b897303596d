import { longestChainMs } from "../run/longest-chain.ts";
import type { Canvas } from "../text/line.ts";
import type { RunState, StepState, StepStatus } from "../run/run-state.ts";
import type { Glyphs, Role } from "../text/style.ts";

/** What the lines of the live tree are drawn from. */
export interface LiveContext {
  state: RunState;
  /** Milliseconds since the run began. */
  nowMs: number;
  /** How long the rest takes, where anything is known about it. */
  leftMs: number | undefined;
  canvas: Canvas;
  /** The one wait that is open. */
  openWait: StepState | undefined;
}

export const isNarrow = (canvas: Canvas): boolean => canvas.columns < 60;

const statusGlyphs: Record<StepStatus, keyof Glyphs> = {
  pending: "queued",
  queued: "queued",
  running: "running",
  waiting: "waiting",
  done: "done",
  failed: "failed",
  skipped: "skipped",
};

const statusRoles: Record<StepStatus, Role> = {
  pending: "dim",
  queued: "dim",
  running: "run",
  waiting: "warn",
  done: "ok",
  failed: "bad",
  skipped: "dim",
};

export const glyphOf = (status: StepStatus, glyphs: Glyphs): [Role, string] => [
  statusRoles[status],
  glyphs[statusGlyphs[status]],
];

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
