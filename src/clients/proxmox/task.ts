import { SlipwayError } from "../../errors/index.ts";
import type { Clock } from "../../lib/index.ts";
import { asRecords, asText } from "./wire/answers.ts";
import type { Call } from "./wire/call.ts";
import { refusal } from "./errors.ts";
import { TaskPolling } from "./task-polling.ts";

/** Work that Proxmox does on its own; it goes on when nobody waits. */
export interface Task {
  upid: string;
  /** The node that runs it, which is not always the node that was asked. */
  node: string;
  /** Looks once, as soon as a look is due: when its end is likely, by what such tasks usually take. */
  look(signal?: AbortSignal, usualMs?: number): Promise<TaskPoll>;
  /** Resolves when it has ended well, warnings included; otherwise throws with the end of its log. */
  wait(signal?: AbortSignal, onProgress?: (percent: number) => void, usualMs?: number): Promise<void>;
}

export type TaskPoll =
  | { isRunning: true; percent?: number | undefined }
  /** Without an error it has ended well. */
  | { isRunning: false; error?: SlipwayError };

interface TaskState {
  isRunning: boolean;
  exit: string;
}

const logLinesInError = 6;
/** The next looks come close and tell more than a log. */
const nearEndMs = 1_500;
/** Earlier it says too little about the end. */
const leastPercent = 5;
// Short tasks are over before a look at their log would tell anything; many share the looks.
const progressEveryMs = (tasks: number): number => 4_000 * Math.ceil(tasks / 3);

/** Turns UPIDs into something to wait for. */
export type Follow = (upid: string, doing: string) => Task;

/** Calls that are answered with the UPID of the task they have started. */
export const taskStarter =
  (call: Call, follow: Follow): Call<Task> =>
  async (name, doing, params, signal) =>
    follow(asText(await call(name, doing, params, signal)), doing);

export function taskWatcher(call: Call, clock: Clock, url: string): Follow {
  const nodes = new Map<string, TaskPolling<TaskState>>();
  const followed = new Map<string, Set<string>>();
  const durations = new TaskDurations();

  const listStates = async (node: string, upids: string[]): Promise<Map<string, TaskState>> => {
    const since = Math.min(...upids.map(startOfUpid));
    const params = { node, source: "all", since, limit: 1000 } as const;
    const data = await call("GET /nodes/{node}/tasks", "list tasks", params);
    return new Map(asRecords(data).map((task) => [asText(task["upid"]), listedState(task)]));
  };

  const stateOf = async (node: string, upid: string): Promise<TaskState> => {
    const data = await call("GET /nodes/{node}/tasks/{upid}/status", "follow a task", { node, upid });
    const [state = {}] = asRecords([data]);
    return { isRunning: state["status"] === "running", exit: asText(state["exitstatus"]) };
  };

  const pollingAt = (node: string): TaskPolling<TaskState> => {
    const known =
      nodes.get(node) ??
      new TaskPolling<TaskState>(
        clock,
        (upids) => listStates(node, upids),
        (upid) => stateOf(node, upid),
      );
    nodes.set(node, known);
    return known;
  };

  const readLog = async (
    upid: string,
    node: string,
    start: number,
    signal?: AbortSignal,
  ): Promise<string[]> => {
    const params = { node, upid, start, limit: 0 };
    const data = await call("GET /nodes/{node}/tasks/{upid}/log", "read a task's log", params, signal);
    return asRecords(data).map((line) => asText(line["t"]));
  };

  return (upid, doing) => {
    const node = nodeOfUpid(upid);
    const startedAt = clock.now();
    let logReadAt = startedAt;
    let linesRead = 0;
    let foretoldMs: number | undefined;

    const progressOf = async (signal: AbortSignal | undefined): Promise<number | undefined> => {
      logReadAt = clock.now();
      const lines = await readLog(upid, node, linesRead, signal);
      linesRead += lines.length;
      const percent = lastPercent(lines);
      if (percent !== undefined && percent >= leastPercent)
        foretoldMs = ((logReadAt - startedAt) * 100) / percent;
      return percent;
    };

    const look = async (signal?: AbortSignal, usualMs?: number): Promise<TaskPoll> => {
      const all = followed.get(node) ?? new Set();
      followed.set(node, all.add(upid));
      const like = `${typeOfUpid(upid)} of ${usualMs ?? "any"} ms`;
      const likelyMs = foretoldMs ?? durations.likelyMs(like, usualMs);
      const dueMs = clock.now() + lookDelayMs(clock.now() - startedAt, likelyMs);
      const state = await pollingAt(node).next(upid, dueMs, signal);
      if (state.isRunning) {
        const isDue = clock.now() - logReadAt > progressEveryMs(all.size);
        const isNearEnd = Math.abs(clock.now() - startedAt - (likelyMs ?? Infinity)) < nearEndMs;
        const percent = isDue && !isNearEnd ? await progressOf(signal) : undefined;
        return { isRunning: true, percent };
      }
      all.delete(upid);
      if (isSuccess(state.exit)) {
        durations.learn(like, clock.now() - startedAt);
        return { isRunning: false };
      }
      const log = await readLog(upid, node, 0, signal).catch(() => []);
      return { isRunning: false, error: taskFailed({ doing, url, upid, exit: state.exit, log }) };
    };

    return {
      upid,
      node,
      look,
      async wait(signal, onProgress, usualMs) {
        for (;;) {
          const seen = await look(signal, usualMs);
          if (!seen.isRunning) {
            if (seen.error) throw seen.error;
            return;
          }
          if (seen.percent !== undefined) onProgress?.(seen.percent);
        }
      },
    };
  };
}

/** `UPID:NODE:PID:PSTART:STARTTIME:TYPE:ID:USER:` */
export const nodeOfUpid = (upid: string): string => upid.split(":")[1] ?? "";

const typeOfUpid = (upid: string): string => upid.split(":")[5] ?? "";

/** Seconds since 1970 by the clock of its node. */
const startOfUpid = (upid: string): number => Number.parseInt(upid.split(":")[4] ?? "0", 16);

const listedState = (task: Record<string, unknown>): TaskState =>
  task["endtime"] === undefined
    ? { isRunning: true, exit: "" }
    : { isRunning: false, exit: asText(task["status"]) };

export const isSuccess = (exit: string): boolean => exit === "OK" || exit.startsWith("WARNINGS:");

/** What a backup or a restore says at its end of how much was zero or known already. */
const isShare = (line: string): boolean => /^INFO: backup (?:is|was) |^space reduction /.test(line);

/**
 * `  1050K .......... 12% 1.2M 3s` of a download, `transferred 1.0 GiB of 4.0 GiB (25.00%)` of a disk import,
 * `INFO:  12% (2.4 GiB of 20.0 GiB) in 9s, …` of a backup, `progress 12% (read …)` of a restore.
 */
export function lastPercent(lines: string[]): number | undefined {
  for (const line of lines.toReversed()) {
    if (isShare(line)) continue;
    const found = /(\d{1,3})(?:\.\d+)?%/.exec(line);
    if (found) return Math.min(100, Number(found[1]));
  }
  return undefined;
}

function taskFailed(f: {
  doing: string;
  url: string;
  upid: string;
  exit: string;
  log: string[];
}): SlipwayError {
  const hasVanished = f.exit === "unexpected status" || f.exit === "";
  const caller = f.upid.split(":")[7] ?? "";
  // A backup job says of all that goes wrong only that there are errors; which, stands in its log.
  const failure = f.log.findLast((line) => /^ERROR: Backup of VM \d+ failed - /.test(line));
  const message = f.exit === "job errors" && failure ? failure.replace("ERROR: ", "") : f.exit;
  const base = refusal({ doing: f.doing, url: f.url, caller, status: 0, message, errors: {} });
  const tail = f.log
    .filter((line) => line.trim() !== "" && !line.startsWith("INFO: "))
    .slice(-logLinesInError);
  return new SlipwayError({
    code: base.code,
    what: base.what,
    why: hasVanished
      ? "its Proxmox task vanished before it had ended"
      : `${base.why}${lastWords(message, tail)}`,
    next: base.next,
    transient: base.transient || hasVanished,
    shared: f.url,
    cause: new Error(`${f.upid} ended with: ${[f.exit, ...tail].join("\n")}`),
  });
}

/** A start that fails says only `QEMU exited with code 1`; the reason stands above it in the log. */
function lastWords(exit: string, tail: string[]): string {
  const more = tail.filter((line) => !isNoReason(line) && !line.includes(exit)).slice(-2);
  return more.length === 0 ? "" : ` (before that: ${more.map((line) => line.trim()).join("; ")})`;
}

/** What was asked for, word for word, and what went well. */
const isNoReason = (line: string): boolean =>
  /^TASK |^update VM \d+: |successfully created disk|^allocated target volume|^create full clone/.test(
    line.trim(),
  );

/** The end is looked for a little after it is likely: before it, the look would be in vain. */
const afterMs = 30;
const firstMs = 600;
const mostMs = 4_000;

/**
 * How long to wait before the next look at a task of this age. A few looks before its likely end notice what ends early,
 * further and further apart; then one comes at the likely end, and the next ones follow it closely.
 */
export function lookDelayMs(ageMs: number, likelyMs: number | undefined): number {
  if (likelyMs === undefined) return Math.min(1_500, Math.max(150, ageMs / 4));
  const leftMs = likelyMs + afterMs - ageMs;
  if (leftMs <= 0) return overdueDelayMs(ageMs, -leftMs);
  const stepMs = Math.min(mostMs, Math.max(firstMs, ageMs / 2));
  return leftMs <= 1.5 * stepMs ? leftMs : stepMs;
}

/** A small part of its age: what takes minutes need not be known to the second. */
const overdueDelayMs = (ageMs: number, overdueMs: number): number =>
  Math.min(1_500, Math.max(150, Math.min(ageMs / 12, overdueMs / 2)));

/** How long tasks take, by others like them. */
export class TaskDurations {
  private readonly shortestMs = new Map<string, number>();

  /** Ends are noticed late, never early: the shortest is the truest. */
  learn(like: string, tookMs: number): void {
    this.shortestMs.set(like, Math.min(tookMs, this.shortestMs.get(like) ?? Infinity));
  }

  /** What was seen comes before what is usual elsewhere. */
  likelyMs(like: string, usualMs: number | undefined): number | undefined {
    return this.shortestMs.get(like) ?? usualMs;
  }
}
