import type { ErrorData } from "../../errors/index.ts";
import type { EventBody, Group, PlannedStep, RunEvent, Section, StepId } from "../../plan/index.ts";

export type StepStatus = "pending" | "queued" | "running" | "waiting" | "done" | "failed" | "skipped";
export type Told<Type extends EventBody["type"]> = Extract<RunEvent, { type: Type }>;

export interface Progress {
  done: number;
  total: number;
  unit: "bytes" | "steps" | "percent";
  atMs: number;
  perSecond: number;
}

/** What a step waits for; `beganMs` and `seenMs` are on the run's clock. */
export interface WaitState {
  what: string;
  deadlineMs: number;
  beganMs: number;
  seenMs: number;
  usualMs?: number | undefined;
  lastSeen?: string | undefined;
  cause?: string | undefined;
}

export interface StepState {
  planned: PlannedStep;
  subject: SubjectState;
  status: StepStatus;
  startedMs?: number;
  endedMs?: number;
  waitedMs: number;
  queuedMs: number;
  behind: StepId[];
  progress?: Progress;
  wait?: WaitState;
  queue?: { lock: string; behind: StepId };
  retry?: { attempt: number; because: string };
  error?: ErrorData;
  because?: StepId;
  /** Why it was not begun although nothing failed before it. */
  held?: string;
  out?: Record<string, string | number>;
}

export type Counts = Record<StepStatus, number>;

/** What one line of the tree is about: a node, an image on a host, a part of the cluster. */
export interface SubjectState {
  label: string;
  host?: string | undefined;
  group: GroupState;
  steps: StepState[];
  counts: Counts;
  status: StepStatus;
  isOver: boolean;
  startedMs?: number;
  endedMs?: number;
}

export type GroupKey = Section | Group;

export interface GroupState {
  key: GroupKey;
  subjects: SubjectState[];
  /** By node, or by step where there is none. */
  subjectOf: Map<string, SubjectState>;
  counts: Counts;
  /** How many subjects have nothing left to do. */
  overCount: number;
  startedMs?: number;
  endedMs?: number;
}

export interface CheckTally {
  checks: Told<"check">[];
  beganMs: number;
  endedMs: number;
}

/** All that the screens need of a run. Every event changes it in constant time. */
export interface RunState {
  run?: Told<"run">;
  plan?: Told<"plan">;
  done?: Told<"done">;
  stopping?: Told<"stopping">;
  steps: Map<StepId, StepState>;
  groups: Map<GroupKey, GroupState>;
  counts: Counts;
  checks: Map<string, CheckTally>;
  failures: Told<"failed">[];
}

export const noCounts = (): Counts => ({
  pending: 0,
  queued: 0,
  running: 0,
  waiting: 0,
  done: 0,
  failed: 0,
  skipped: 0,
});

export const newRunState = (): RunState => ({
  steps: new Map(),
  groups: new Map(),
  counts: noCounts(),
  checks: new Map(),
  failures: [],
});

/** Nothing in it is left to do. */
export const isOver = (group: GroupState): boolean =>
  group.subjects.length > 0 && group.overCount === group.subjects.length;

export const clusterCount = (state: RunState): number => state.run?.clusters.length ?? 1;

export const isRehearsal = (state: RunState): boolean => state.run?.world === "rehearsal";
