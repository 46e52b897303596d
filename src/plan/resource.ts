import type { Clock } from "../lib/index.ts";
import type { ErrorData } from "../errors/index.ts";
import type { Consequence, LogLevel } from "./events.ts";

/** One difference between what is wanted and what is there, in words for the plan screen. */
export interface FieldChange {
  field: string;
  from: string;
  to: string;
}

/**
 * Why a running cluster cannot be brought from what it is to what the file says. Nothing of the cluster is changed then.
 * What several steps object to in the same words is told once.
 */
export interface Objection {
  /** `Kubernetes`, `pod networks`: what would change. */
  topic: string;
  from: string;
  to: string;
  consequence: Consequence;
  error: ErrorData;
  /** Where others of the cluster are as the file says, one that is not has strayed, and is brought back. */
  isStrayAmongOthers?: true;
}

export type Difference =
  | { same: true }
  | {
      same: false;
      /** `update` changes the thing in place, `replace` removes and makes it anew. */
      action: "update" | "replace";
      consequence: Consequence;
      fields: FieldChange[];
      loses?: string;
      keeps?: string;
      objections?: Objection[];
    };

export const same: Difference = { same: true };

/** What a wait is about. It is told when it begins, when it sees something new, and on its heartbeat. */
export interface Wait {
  what: string;
  probe: string;
  deadlineMs: number;
  everyMs?: number;
  usualMs?: number;
  /** What a person can do when it takes too long, where looking at a machine is not it. */
  next?: string;
}

/** What a probe saw: finished with a value, or not yet, and why. */
export type Seen<T> = { done: true; value: T } | { done: false; seen: string; cause?: string };

export interface ReadContext {
  signal: AbortSignal;
  clock: Clock;
  log(level: LogLevel, text: string): void;
}

export interface StepContext extends ReadContext {
  /** Polls until done. Running out of time is a failure that says what, since when, and what was seen last. */
  waitFor<T>(wait: Wait, probe: (signal: AbortSignal) => Promise<Seen<T>>): Promise<T>;
  /** Tells how far a long piece of work has come. */
  progress(done: number, total: number, unit: "bytes" | "steps" | "percent"): void;
  /** Runs `work` while holding one of the `places` of a lock that mirrors one of the hypervisor's own. */
  holding<T>(lock: string, places: number, work: () => Promise<T>): Promise<T>;
  /**
   * Runs `work` while no other step of the group does, and only as long as none of them has failed: a step that still
   * waits then is skipped with the reason.
   */
  rolling<T>(group: string, work: () => Promise<T>): Promise<T>;
}

/**
 * One kind of thing that can exist: five verbs, each of which can be run again after an interruption.
 * Reality is the state: `read` finds what exists by its mark on the hypervisor, the node or the cluster.
 */
export interface Resource<Want, Have> {
  kind: string;
  read(ctx: ReadContext, want: Want): Promise<Have | undefined>;
  /** Pure. */
  compare(want: Want, have: Have): Difference;
  create(ctx: StepContext, want: Want): Promise<Have>;
  update(ctx: StepContext, want: Want, have: Have): Promise<Have>;
  remove(ctx: StepContext, have: Have): Promise<void>;
  /** A few facts worth showing when the step has finished: vmid, address, endpoint. */
  out?(have: Have): Record<string, string | number>;
}

/** A resource among others, its want and have known only to itself. */
export type AnyResource = Resource<unknown, unknown>;

/** Keeps the two type parameters of a resource in step while it is written. */
export const defineResource = <Want, Have>(resource: Resource<Want, Have>): Resource<Want, Have> => resource;
