import type { Clock } from "../lib/index.ts";
import type { ErrorData } from "../errors/index.ts";
import type { Consequence, LogLevel, Group, StepId } from "./events.ts";
import type { Face } from "./face.ts";
import { nameOfStep } from "./step-id.ts";

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
      loses?: string | undefined;
      keeps?: string | undefined;
      objections?: Objection[] | undefined;
      /** Only a service of its node starts again: pods run on. */
      leavesPods?: true | undefined;
      /** It is there and does not answer, so that nothing of it is known. */
      isUnreachable?: true | undefined;
      /** What was found that the plan should say, beside the facts of the step. */
      facts?: Record<string, string | undefined> | undefined;
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
  next?: string | undefined;
}

/** What a probe saw: finished with a value, or not yet, and why. */
export type Seen<T> = { done: true; value: T } | { done: false; seen: string; cause?: string | undefined };

/** What a survey saw beyond what all providers have in common, by the provider that saw it; each understands its own. */
export type OwnSurvey = Readonly<Record<string, unknown>>;

export interface ReadContext {
  signal: AbortSignal;
  clock: Clock;
  log(level: LogLevel, text: string): void;
  /**
   * The survey a plan is made from: what was seen a moment ago need not be asked for one by one. Absent while a plan is
   * carried out: things change then.
   */
  seen?: OwnSurvey | undefined;
}

export interface StepContext extends ReadContext {
  /** Polls until done. Running out of time is a failure that says what, since when, and what was seen last. */
  waitFor<T>(wait: Wait, probe: (signal: AbortSignal) => Promise<Seen<T>>): Promise<T>;
  /** Tells how far a long piece of work has come. */
  progress(done: number, total: number, unit: "bytes" | "steps" | "percent"): void;
  /** Runs `work` while holding one of the `places` of a lock that mirrors one of the hypervisor's own. */
  holding<T>(lock: string, places: number, work: () => Promise<T>): Promise<T>;
  /**
   * Runs `work` while no other step of the group does, or in a batch as large as `atOnce` of all of them allows, and only
   * as long as none has failed: a step that still waits then is skipped with the reason. A worker waits for all control
   * planes that change in the same way, and for workers that were off and come back. `others` tells which nodes have their
   * turn at the same time; `goesAlone` is asked where there may be others.
   */
  rolling<T>(
    group: string,
    work: (others: () => string[]) => Promise<T>,
    goesAlone?: () => Promise<boolean>,
  ): Promise<T>;
  /** Ends the step where no further node may be touched now. Called between two nodes by steps that go through several. */
  demandOpen(): void;
}

/**
 * One kind of thing that can exist: five verbs, each of which can be run again after an interruption.
 * Reality is the state: `read` finds what exists by its mark on the hypervisor, the node or the cluster.
 */
export interface Resource<Want, Have> {
  kind: string;
  /** How its things are named on screens, where that does not follow from `kind` and the step. Plain data. */
  face?(node: GraphNode<Want>): Partial<Face>;
  read(ctx: ReadContext, want: Want): Promise<Have | undefined>;
  /** Pure. */
  compare(want: Want, have: Have): Difference;
  create(ctx: StepContext, want: Want): Promise<Have>;
  update(ctx: StepContext, want: Want, have: Have): Promise<Have>;
  remove(ctx: StepContext, have: Have): Promise<void>;
  /** Why it must not be removed as things are, if that is so. Nothing of its cluster is changed then. Pure. */
  removalBlocker?(have: Have): ErrorData | undefined;
  /** A few facts worth showing when the step has finished: number, address, endpoint. */
  out?(have: Have): Record<string, string | number | undefined>;
}

/** A resource among others, its want and have known only to itself. */
export type AnyResource = Resource<unknown, unknown>;

/** Keeps the two type parameters of a resource in step while it is written. */
export const defineResource = <Want, Have>(resource: Resource<Want, Have>): Resource<Want, Have> => resource;

/** What a kind says of the face of a thing; the rest follows from the kind's name and the step. */
export const faceOf = (node: GraphNode, resource?: AnyResource): Face => ({
  noun: nameOfStep(node.kind),
  label: node.node ?? nameOfStep(node.id),
  ...resource?.face?.(node),
});

/** How far a run may go: `up --until machines` stops before any distribution is set up. */
export const stages = ["machines", "distro", "kubernetes", "addons"] as const;
export type Stage = (typeof stages)[number];

/** One wanted thing: plain data, so that a graph can be printed, compared and kept under a golden. */
export interface GraphNode<Want = unknown> {
  id: StepId;
  /** The resource that knows how to read and make it. */
  kind: string;
  /** A noun: `machine cp-1`. The plan puts the verb before it. */
  name: string;
  /** The whole title, where no verb of the plan fits before the name: `Detach the ISO from machine cp-1`. */
  title?: string;
  /** It comes by itself once everything before it is there, and is waited for. */
  comesByItself?: boolean;
  /** Made once in the life of its cluster: where the machines are there, it comes back with them. */
  isLasting?: boolean;
  /** What leaves is reached by it as it was: it changes once all of the cluster that leaves is gone. */
  afterRemovals?: true;
  /** Complete and plain; secrets stand in it as references only. */
  want: Want;
  after: StepId[];
  /** It can exist only where at least one of these exists, so it is not looked for without them. */
  within?: StepId[] | undefined;
  group: Group;
  stage: Stage;
  cluster: string;
  host?: string | undefined;
  node?: string | undefined;
  role?: string | undefined;
  /** Before it is removed, or restarts its node, pods are moved off within their budgets, or it is not carried out. */
  drains?: "removal" | "restart";
  /** How many nodes like its own a rolling change may take away at once; absent: this one alone. */
  atOnce?: number;
  usualMs?: number;
  facts?: Record<string, string | number | undefined> | undefined;
  /** What outlives it when it is removed, in words. */
  keeps?: string | undefined;
  /** What is gone for good when it is removed, in words; somebody has to agree to it. */
  loses?: string | undefined;
}

export type Graph = GraphNode[];
