import { z } from "zod";

/** Fields may be added at any time; `v` rises only when one changes its meaning. */
const more = z.looseObject;

const text = z.string();
const amount = z.number();
const texts = z.array(text);
const error = more({
  code: text.describe("permanent; docs/errors.md lists them"),
  what: text,
  why: text,
  next: text,
});
const step = text.describe("cluster/kind/name");

const statusNode = more({
  ...{ node: text, role: text, state: text, address: text },
  release: text.optional().describe("what the node says it runs"),
  kubernetes: text.optional().describe("version of its kubelet"),
  isCordoned: z.boolean().optional(),
  differs: z
    .array(more({ field: text, from: text, to: text }))
    .optional()
    .describe("where machine or config of a Ready node is not as the file says"),
  usage: more({
    cpuPercent: amount.optional().describe("of all cores together"),
    cores: amount,
    memoryUsedMiB: amount.optional(),
    memoryMiB: amount,
    measuredBy: text,
  })
    .optional()
    .describe("as its hypervisor measures it; absent where none does"),
});

/** What each type of line holds, beside the envelope. */
const lines = {
  run: { command: text, clusters: texts, world: z.enum(["real", "rehearsal"]), slipway: text, file: text },
  check: {
    phase: z.enum(["preflight", "gate", "verify", "doctor"]),
    ...{ id: text, title: text, status: z.enum(["ok", "warned", "failed", "skipped"]), tookMs: amount },
    error: error.optional(),
  },
  plan: {
    steps: z.array(more({ id: step, title: text, action: text, consequence: text, after: z.array(step) })),
    same: amount,
    refused: z.array(more({ step, consequence: text, why: text, next: text })),
  },
  queued: { step, lock: text, behind: step },
  started: { step, action: text },
  progress: { step, done: amount, total: amount, unit: z.enum(["bytes", "steps", "percent"]) },
  waiting: { step, what: text, probe: text, sinceMs: amount, deadlineMs: amount },
  retried: { step, attempt: amount, because: text, inMs: amount },
  finished: { step, tookMs: amount, waitedMs: amount, queuedMs: amount },
  failed: { step, error },
  skipped: { step, because: step },
  log: { level: z.enum(["error", "warn", "info", "debug"]), text },
  stopping: { signal: text, running: z.array(step), graceMs: amount },
  problem: { code: text, file: text, what: text, next: text.optional() },
  warning: { code: text, file: text, what: text, next: text.optional() },
  version: { slipway: text, form: text },
  valid: { file: text, clusters: amount, nodes: amount, hosts: amount },
  status: {
    clusters: z.array(
      more({
        cluster: text,
        state: text,
        ready: amount,
        nodes: z.array(statusNode),
        version: text.describe("for people; versions has its parts"),
        versions: more({ distribution: text, releases: texts, kubernetes: texts }).optional(),
      }),
    ),
  },
  upgrade: { cluster: text, file: text, versions: z.array(more({ name: text, title: text, wanted: text })) },
  image: { cluster: text, iso: text },
  graph: { view: text, from: text, shown: texts },
  snapshot: { cluster: text, node: text, name: text, takenAt: text, isOurs: z.boolean() },
  snapshots: { done: text, name: text, nodes: z.array(more({ cluster: text, node: text })) },
  backup: { cluster: text, place: text, name: text, takenAt: text, sizeBytes: amount },
  backups: { cluster: text, count: amount, isOverdue: z.boolean() },
  foreign: { cluster: text, place: text, name: text, why: text },
  checked: { source: text },
  putBack: { written: texts, different: texts },
  disaster: { cluster: text, isRecovered: z.boolean() },
  kubeconfig: { cluster: text, file: text, kubeconfig: text },
  talosconfig: { cluster: text, file: text, talosconfig: text },
  proxy: { cluster: text },
  listening: {},
  exported: { file: text },
  adopted: { cluster: text, file: text, isNew: z.boolean() },
  bundle: { file: text, files: z.array(z.unknown()) },
  secret: { cluster: text, name: text, file: text, form: text },
  rekeyed: { cluster: text, name: text, file: text, before: text, after: text },
  recovered: { cluster: text, file: text, isNew: z.boolean(), provenBy: texts },
  renewed: { cluster: text, credential: text, file: text, old: text },
  rotated: { file: text, hosts: texts },
  grant: { url: text, hosts: texts, commands: texts },
  granted: {},
  schematic: { file: text, id: text, schematic: text },
  done: {
    outcome: z.enum(["done", "unchanged", "failed", "stopped", "refused", "waiting"]),
    exitCode: amount.describe("what the program ends with"),
    tookMs: amount,
    error: error.optional(),
  },
} as const;

const envelope = {
  v: z.literal(1).describe("rises only when a field changes its meaning; fields may be added at any time"),
  seq: z.int().min(1).describe("counts the lines of this output"),
  at: z.iso.datetime().describe("when it was told, in UTC"),
  ms: amount.min(0).describe("the same, since the beginning"),
  run: text.describe("the run it belongs to; that of the journal where one is kept"),
};

/** One line of any command with `--json`. */
export const outputLine = z.discriminatedUnion(
  "type",
  Object.entries(lines).map(([type, fields]) =>
    more({ ...envelope, type: z.literal(type), ...fields }),
  ) as unknown as [Line, ...Line[]],
);

type Line = z.ZodObject<typeof envelope & { type: z.ZodLiteral<string> }>;

/** For programs that read `--json`; draft 7, as the schema of the cluster file. */
export const outputJsonSchema = (): object => ({
  ...z.toJSONSchema(outputLine, { target: "draft-7", io: "output" }),
  title: "One line of slipway COMMAND --json; the last one is always of the type done",
});
