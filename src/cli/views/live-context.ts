import type { Canvas } from "./line.ts";
import type { RunState, StepState, StepStatus } from "./run-state.ts";
import type { Glyphs, Role } from "./style.ts";

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
