import { refOf } from "../../clients/kube/index.ts";
import { errorData } from "../../errors/index.ts";
import { eventStream, runName, type RunReport } from "../../operations/index.ts";
import type { EventBody, RunEvent, Tell } from "../../plan/index.ts";
import {
  apiVersion,
  clusterLabel,
  keptRuns,
  type SlipwayCluster,
  type SlipwayRun,
  type SlipwayRunStatus,
} from "../objects/index.ts";
import { textOf } from "./conditions.ts";
import { fieldManager, type ControllerWorld, type Observer } from "./controller-world.ts";

/** A run that goes on while the loop looks after other clusters. */
export interface ActiveRun {
  name: string;
  command: string;
  /** Nothing new is begun in it from then on. */
  halt(why: string): void;
  /** `12 of 40 steps`. */
  progress(): string;
}

export interface RunTask {
  object: SlipwayCluster;
  command: "up" | "down";
  /** The digest of the plan, where one is known. */
  plan?: string | undefined;
  /** Why it is done: the policy. */
  policy: string;
  work(signals: { halt: AbortSignal; tell: Tell }): Promise<RunReport>;
}

export interface RunTable {
  get(cluster: string): ActiveRun | undefined;
  /** How many are going on among these clusters. */
  countOf(clusters: readonly string[]): number;
  /** Begins, and does not wait for the end. */
  start(task: RunTask): ActiveRun;
  /** Resolves when none is left. */
  idle(): Promise<void>;
}

export interface RunTableOptions {
  world: ControllerWorld;
  observer: Observer;
  /** Something can be told of it. */
  onProgress(cluster: string): void;
  onEnd(cluster: string, run: { name: string; command: string; report: RunReport }): void;
}

const tellEveryMs = 15_000;
const mostFailures = 5;

/** Runs that change clusters, one for each at most. They hold no worker of the queue. */
export function runTable(options: RunTableOptions): RunTable {
  const { world } = options;
  const active = new Map<string, { run: ActiveRun; ended: Promise<void> }>();
  return {
    get: (cluster) => active.get(cluster)?.run,
    countOf: (clusters) => clusters.filter((name) => active.has(name)).length,
    start(task) {
      const cluster = task.object.metadata.name;
      const name = `${cluster}-${runName(world.clock.now())}-${world.random.bytes(2).toString("hex")}`;
      const halting = new AbortController();
      const counts = { done: 0, total: 0 };
      const run: ActiveRun = {
        name,
        command: task.command,
        halt: (why) => halting.abort(new Error(why)),
        progress: () =>
          counts.total === 0 ? "it is being planned" : `${counts.done} of ${counts.total} steps`,
      };
      const halt = AbortSignal.any([world.halt, halting.signal]);
      const ended = carryOut(task, name, halt, counts, options).then((report) => {
        active.delete(cluster);
        options.onEnd(cluster, { name, command: task.command, report });
      });
      active.set(cluster, { run, ended });
      return run;
    },
    async idle() {
      while (active.size > 0) await Promise.all([...active.values()].map(({ ended }) => ended));
    },
  };
}

async function carryOut(
  task: RunTask,
  name: string,
  halt: AbortSignal,
  counts: { done: number; total: number },
  { world, observer, onProgress }: RunTableOptions,
): Promise<RunReport> {
  const cluster = task.object.metadata.name;
  const failures: NonNullable<SlipwayRunStatus["failures"]> = [];
  let toldAtMs = -Infinity;
  const follow = (event: RunEvent): void => {
    if (event.type === "plan") counts.total = event.steps.length;
    if (event.type === "finished") counts.done += 1;
    if (event.type === "failed" && failures.length < mostFailures)
      failures.push({
        step: event.step,
        code: event.error.code,
        message: `${event.error.what}: ${event.error.why}`,
      });
    if (event.type === "failed") world.log("error", `${cluster}: ${event.step}: ${textOf(event.error)}`);
    if (event.type === "log" && event.level !== "debug") world.log(event.level, `${cluster}: ${event.text}`);
    if (!["plan", "finished"].includes(event.type) || world.clock.now() - toldAtMs < tellEveryMs) return;
    toldAtMs = world.clock.now();
    onProgress(cluster);
  };
  const tell = eventStream(world, name, [follow, observer.followRun()]);
  const startedAt = isoTime(world);
  world.log("info", `${cluster}: "${task.command}" begins, ${name}`);
  const history = { cluster, failures, startedAt, holder: world.identity };
  await unlessRefused(world, () => createRun(world, task, name));
  await unlessRefused(world, () => tellRun(world, name, { ...history, outcome: "running" }));
  const report = await task.work({ halt, tell }).catch((thrown: unknown) => endingOf(thrown, tell));
  const { outcome, tookMs, error } = report;
  world.log(
    ["done", "unchanged", "waiting"].includes(outcome) ? "info" : "error",
    `${cluster}: "${task.command}" ended as ${outcome} after ${Math.round(tookMs / 1000)} s${error ? `: ${textOf(error)}` : ""}`,
  );
  await unlessRefused(world, () => tellRun(world, name, { ...history, outcome, report }));
  await unlessRefused(world, () => removeOldRuns(world, cluster));
  return report;
}

/** What is thrown before a run has begun is told like the end of one. */
function endingOf(thrown: unknown, tell: Tell): RunReport {
  const report: Extract<EventBody, { type: "done" }> = {
    ...{ type: "done", outcome: "failed", exitCode: 1, kept: "", outputs: {}, criticalPath: [] },
    ...{ counts: { done: 0, failed: 0, skipped: 0, total: 0 }, tookMs: 0, floorMs: 0, ownMs: 0 },
    error: errorData(thrown),
  };
  tell(report);
  return report;
}

/** History is not worth a run: one that cannot be written is told and left out. */
async function unlessRefused(world: ControllerWorld, work: () => Promise<unknown>): Promise<void> {
  await work().catch((thrown: unknown) =>
    world.log("warn", `the history of a run was not written: ${String(thrown)}`),
  );
}

const isoTime = ({ clock }: ControllerWorld): string =>
  new Date(clock.now()).toISOString().replace(/\.\d+/, "");

function createRun(world: ControllerWorld, task: RunTask, name: string): Promise<unknown> {
  const { metadata } = task.object;
  const { uid = "" } = metadata;
  return world.client.create({
    apiVersion,
    kind: "SlipwayRun",
    metadata: {
      name,
      namespace: world.namespace,
      labels: { [clusterLabel]: metadata.name },
      ownerReferences: [{ apiVersion, kind: "SlipwayCluster", name: metadata.name, uid }],
    },
    spec: {
      cluster: metadata.name,
      command: task.command,
      policy: task.policy,
      ...(task.plan !== undefined && { plan: task.plan }),
    },
  });
}

interface ToldRun {
  outcome: string;
  startedAt: string;
  holder: string;
  failures: NonNullable<SlipwayRunStatus["failures"]>;
  report?: RunReport;
}

function tellRun(world: ControllerWorld, name: string, told: ToldRun): Promise<unknown> {
  const { outcome, startedAt, holder, failures, report } = told;
  const { done: finished = 0, failed = 0, skipped = 0 } = report?.counts ?? {};
  const status: SlipwayRunStatus = {
    ...{ outcome, startedAt, holder, steps: { finished, failed, skipped } },
    ...(report && { finishedAt: isoTime(world) }),
    ...(failures.length > 0 && { failures }),
    ...(report?.error && {
      error: { code: report.error.code, message: `${report.error.what}: ${report.error.why}` },
    }),
  };
  const metadata = { name, namespace: world.namespace };
  return world.client.apply(
    { apiVersion, kind: "SlipwayRun", metadata, status },
    { fieldManager, isForced: true, subresource: "status" },
  );
}

/** The store must not fill with history. */
async function removeOldRuns({ client, namespace }: ControllerWorld, cluster: string): Promise<void> {
  const labels = `${clusterLabel}=${cluster}`;
  const { items } = await client.list<SlipwayRun>({ apiVersion, kind: "SlipwayRun", namespace, labels });
  const oldFirst = items.toSorted((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
  for (const run of oldFirst.slice(0, Math.max(0, items.length - keptRuns))) await client.delete(refOf(run));
}

const timeOf = ({ metadata }: SlipwayRun): string => `${metadata.creationTimestamp ?? ""} ${metadata.name}`;
