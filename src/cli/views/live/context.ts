import type { RunState, StepState, StepStatus } from "../../../views/index.ts";
import type { Canvas } from "../text/line.ts";
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
