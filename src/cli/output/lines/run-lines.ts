import { z } from "zod";

/** Strict where our own output is tested, open where it is published: `outputLine` makes both. */
export type MakeObject = typeof z.strictObject;

const text = z.string();
const amount = z.number();
const texts = z.array(text);
const step = text.describe("cluster/kind/name");
const outcome = z.enum(["done", "unchanged", "failed", "stopped", "refused", "waiting"]);

/** What went wrong, as `src/errors` tells it. */
export const errorLine = (object: MakeObject) =>
  object({
    code: text.describe("permanent; docs/errors.md lists them"),
    ...{ what: text, why: text, next: text },
    else: text.optional().describe("another way, where there is one"),
    at: object({
      file: text,
      line: amount.optional(),
      column: amount.optional(),
      length: amount.optional(),
      path: text.optional(),
    }).optional(),
    cause: text.optional(),
    shared: text.optional().describe("the host, storage or network it is about"),
  });

/** The events of a run, without what numbers and times them: as `RunEvent` of `src/plan` has them. */
export const runLines = (object: MakeObject) => {
  const error = errorLine(object);
  return {
    run: {
      ...{ command: text, clusters: texts, world: z.enum(["real", "rehearsal"]), slipway: text, file: text },
      resumes: object({ run: text, at: text, ms: amount }).optional().describe("a run that was cut"),
      again: text.optional().describe("what is typed to go on if it is cut; absent: slipway up"),
    },
    check: {
      phase: z.enum(["preflight", "gate", "verify", "doctor"]),
      ...{ id: text, title: text, status: z.enum(["ok", "warned", "failed", "skipped"]), tookMs: amount },
      failing: text.optional().describe("what is wrong, where the title says what should be"),
      ...{ cluster: text.optional(), host: text.optional(), node: text.optional() },
      ...{ needed: text.optional(), found: text.optional(), error: error.optional() },
      because: text.optional().describe("the check that explains this one"),
      nodes: z.record(text, text).optional().describe("the nodes to blame, each with what is wrong"),
      ...{ parent: text.optional(), answer: text.optional() },
    },
    plan: {
      steps: z.array(plannedStep(object)),
      same: amount,
      refused: z.array(
        object({
          ...{ step, consequence: text, why: text, next: text },
          ...{ subject: text.optional(), change: text.optional(), error: error.optional() },
          holds: text.optional().describe("nothing of this cluster is changed while it stands"),
        }),
      ),
      resumed: amount.optional().describe("steps that a run before this one has done"),
      again: text.optional().describe("as again of the run, by what the plan was decided on"),
    },
    queued: { step, lock: text, behind: step },
    started: { step, action: text },
    progress: { step, done: amount, total: amount, unit: z.enum(["bytes", "steps", "percent"]) },
    waiting: {
      ...{ step, what: text, probe: text, sinceMs: amount, deadlineMs: amount },
      ...{ usualMs: amount.optional(), lastSeen: text.optional(), cause: text.optional() },
    },
    retried: { step, attempt: amount, because: text, inMs: amount },
    finished: {
      ...{ step, tookMs: amount, waitedMs: amount, queuedMs: amount },
      out: z.record(text, z.union([text, amount])).optional(),
    },
    failed: { step, error },
    skipped: { step, because: step, why: text.optional() },
    log: {
      ...{ level: z.enum(["error", "warn", "info", "debug"]), text },
      ...{ step: step.optional(), host: text.optional(), call: text.optional() },
    },
    stopping: { signal: text, running: z.array(step), graceMs: amount },
    problem: finding(),
    warning: finding(),
    done: {
      outcome,
      exitCode: amount.describe("what the program ends with"),
      tookMs: amount,
      error: error.optional(),
      counts: object({ done: amount, failed: amount, skipped: amount, total: amount })
        .optional()
        .describe("steps; this and what follows are told by runs"),
      ...{ floorMs: amount.optional(), ownMs: amount.optional() },
      criticalPath: z.array(step).optional(),
      kept: text.optional(),
      outputs: z.record(text, text).optional(),
    },
  };
};

/** A mistake in the cluster file: by its line, or by the path of the value where a program wrote the file. */
const finding = () => ({
  ...{ code: text, file: text, what: text, next: text.optional() },
  ...{ line: amount.optional(), column: amount.optional(), length: amount.optional(), path: text.optional() },
});

const plannedStep = (object: MakeObject) =>
  object({
    id: step,
    ...{ title: text, kind: text, action: text, consequence: text, group: text, cluster: text },
    face: object({
      ...{ noun: text, label: text },
      ...{ plural: text.optional(), uncounted: text.optional(), inText: text.optional() },
      ...{ lane: text.optional(), asNew: text.optional(), section: text.optional() },
      planLine: z
        .union([
          object({ title: text, text }),
          object({ counted: text, name: text, before: text.optional(), after: text.optional() }),
        ])
        .optional(),
      ...{ restarts: text.optional(), hasNoRehearsal: z.literal(true).optional() },
    }).describe("how screens name it"),
    after: z.array(step),
    ...{ host: text.optional(), node: text.optional(), role: text.optional() },
    atOnce: amount.optional().describe("how many nodes like this one may be away at once"),
    usualMs: amount.optional(),
    comesByItself: z.literal(true).optional().describe("nothing is made: it is waited for"),
    from: z.record(text, text).optional(),
    to: z.record(text, text).optional(),
    ...{ loses: text.optional(), keeps: text.optional() },
    returns: z.literal(true).optional().describe("it is there, and only waited for"),
    waitsUntil: text.optional().describe("when the window of its cluster opens"),
    facts: z.record(text, z.union([text, amount])).optional(),
  });
