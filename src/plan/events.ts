import type { ErrorData } from "../errors/index.ts";
import type { Face } from "./face.ts";

/** `cluster/kind/name`, e.g. `homelab/machine/cp-1`. */
export type StepId = string;

/** `hot` cannot interrupt a pod. `disturb` can, though no machine restarts: a service, a network card, an add-on. */
export type Consequence = "create" | "hot" | "disturb" | "reboot" | "roll" | "replace" | "remove" | "data";
export type Action = "create" | "update" | "replace" | "remove";
export type Group = "images" | "nodes" | "cluster" | "addons";

/** One step of a plan, as every reader of the stream sees it. */
export interface PlannedStep {
  id: StepId;
  /** What a person would say: `Create machine cp-1`. */
  title: string;
  kind: string;
  face: Face;
  action: Action;
  consequence: Consequence;
  group: Group;
  after: StepId[];
  cluster: string;
  host?: string | undefined;
  node?: string | undefined;
  role?: string | undefined;
  /** How many nodes like this one may be away at once; absent: one. */
  atOnce?: number | undefined;
  usualMs?: number | undefined;
  /** Field by field, what changes. */
  from?: Record<string, string>;
  to?: Record<string, string>;
  loses?: string | undefined;
  keeps?: string | undefined;
  /** Nothing is made: it is there, and is waited for while the machine below it starts. */
  returns?: true | undefined;
  /** Nobody makes it: it comes once all before it is there, and is waited for. */
  comesByItself?: true | undefined;
  /** When the window of its cluster opens, before which it does not begin: `Sat 02:00 Europe/Berlin`. */
  waitsUntil?: string | undefined;
  /** A few facts for the plan screen: cores, memory, disk, address … */
  facts?: Record<string, string | number> | undefined;
}

export interface Refusal {
  step: StepId;
  consequence: Consequence;
  why: string;
  next: string;
  /** What it is about, where no step of the plan is: `Kubernetes on 5 nodes`, and `1.36.3 → 1.35.2`. */
  subject?: string;
  change?: string;
  /** The whole of it, where it says more than that somebody has to agree. */
  error?: ErrorData;
  /** Nothing of this cluster is changed while it stands. */
  holds?: string;
}

export type CheckPhase = "preflight" | "gate" | "verify" | "doctor";
export type CheckStatus = "ok" | "warned" | "failed" | "skipped";
/** `waiting`: all is done that may be now; the rest has to wait for the window of its cluster. */
export type Outcome = "done" | "unchanged" | "failed" | "stopped" | "refused" | "waiting";
export type LogLevel = "error" | "warn" | "info" | "debug";

/** What happened, without the envelope that numbers and times it. */
export type EventBody =
  | {
      type: "run";
      command: string;
      clusters: string[];
      world: "real" | "rehearsal";
      slipway: string;
      file: string;
      resumes?: { run: string; at: string; ms: number } | undefined;
      /** What is typed to go on with it where it ends too early; absent: `slipway up`. */
      again?: string | undefined;
    }
  | {
      type: "check";
      phase: CheckPhase;
      id: string;
      title: string;
      /** Told of a check that failed or warned: what is wrong, where the title says what should be. */
      failing?: string;
      status: CheckStatus;
      cluster?: string;
      host?: string | undefined;
      node?: string | undefined;
      needed?: string;
      found?: string;
      tookMs: number;
      error?: ErrorData | undefined;
      because?: string | undefined;
      /** The nodes to blame, each with what is wrong. */
      nodes?: Record<string, string>;
      parent?: string | undefined;
      /** The short answer to a question of doctor's: yes, no, a name. */
      answer?: string;
    }
  | {
      type: "plan";
      steps: PlannedStep[];
      same: number;
      refused: Refusal[];
      resumed?: number | undefined;
      /** As `again` of the run, where the plan knows more: which backup a machine is made from. */
      again?: string | undefined;
    }
  | { type: "queued"; step: StepId; lock: string; behind: StepId }
  | { type: "started"; step: StepId; action: Action }
  | { type: "progress"; step: StepId; done: number; total: number; unit: "bytes" | "steps" | "percent" }
  | {
      type: "waiting";
      step: StepId;
      /** Completes "waiting for …": `192.168.1.100:6443 to answer`. */
      what: string;
      /** How it is looked at: tcp, tls, grpc, https, task … */
      probe: string;
      sinceMs: number;
      deadlineMs: number;
      usualMs?: number | undefined;
      lastSeen?: string | undefined;
      cause?: string | undefined;
    }
  | { type: "retried"; step: StepId; attempt: number; because: string; inMs: number }
  | {
      type: "finished";
      step: StepId;
      tookMs: number;
      waitedMs: number;
      queuedMs: number;
      out?: Record<string, string | number> | undefined;
    }
  | { type: "failed"; step: StepId; error: ErrorData }
  /** `why` is told of one that was not begun although nothing failed before it. */
  | { type: "skipped"; step: StepId; because: StepId; why?: string | undefined }
  | { type: "log"; level: LogLevel; text: string; step?: StepId; host?: string; call?: string }
  | { type: "stopping"; signal: string; running: StepId[]; graceMs: number }
  | {
      type: "problem";
      code: string;
      file: string;
      line: number;
      column: number;
      length: number;
      what: string;
      next: string;
    }
  | {
      type: "done";
      outcome: Outcome;
      exitCode: number;
      counts: { done: number; failed: number; skipped: number; total: number };
      tookMs: number;
      /** Remote time on the critical path, and what Slipway added to it. */
      floorMs: number;
      ownMs: number;
      criticalPath: StepId[];
      kept: string;
      outputs: Record<string, string>;
      error?: ErrorData | undefined;
    };

/** One line of the stream: to the terminal, the journal, `--json` and the dashboard alike. */
export type RunEvent = { v: 1; seq: number; at: string; ms: number; run: string } & EventBody;

/** Changes when a program that reads the lines of today would misread them. */
export const eventStreamVersion: RunEvent["v"] = 1;

/** Says something happened. The caller numbers and times it. */
export type Tell = (event: EventBody) => void;
