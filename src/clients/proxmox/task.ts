import { SlipwayError } from "../../errors/index.ts";
import type { Clock } from "../../lib/index.ts";
import { asRecords, asText } from "./answers.ts";
import type { Call } from "./call.ts";
import { refusal } from "./errors.ts";

/** Work that Proxmox does on its own; it goes on when nobody waits. */
export interface Task {
  upid: string;
  /** The node that runs it, which is not always the node that was asked. */
  node: string;
  /** Looks once, as soon as a look is due: often while the task is young, every second later. */
  look(signal?: AbortSignal): Promise<TaskLook>;
  /** Resolves when it has ended well, warnings included; otherwise throws with the end of its log. */
  wait(signal?: AbortSignal, onProgress?: (percent: number) => void): Promise<void>;
}

export type TaskLook =
  | { isRunning: true; percent?: number }
  /** Without an error it has ended well. */
  | { isRunning: false; error?: SlipwayError };

interface TaskState {
  isRunning: boolean;
  exit: string;
}

// One task is asked for by itself; of several, one list of the node tells which run and how the others ended.
const listMaxAgeMs = 250;
const logLinesInError = 6;
// Short tasks are over before a look at their log would tell anything; many share the looks.
const progressEveryMs = (tasks: number): number => 2_000 * Math.ceil(tasks / 3);

/** Turns UPIDs into something to wait for. */
export type Follow = (upid: string, doing: string) => Task;

/** Calls that are answered with the UPID of the task they have started. */
export const taskStarter =
  (call: Call, follow: Follow): Call<Task> =>
  async (name, doing, params, signal) =>
    follow(asText(await call(name, doing, params, signal)), doing);

export function taskWatcher(call: Call, clock: Clock, url: string): Follow {
  const followed = new Map<string, Set<string>>();
  const lists = new Map<string, { atMs: number; states: Promise<Map<string, TaskState>> }>();

  const statesOn = (node: string, upids: ReadonlySet<string>): Promise<Map<string, TaskState>> => {
    const last = lists.get(node);
    if (last && clock.now() - last.atMs < listMaxAgeMs) return last.states;
    const since = Math.min(...[...upids].map(startOfUpid));
    const params = { node, source: "all", since, limit: 1000 } as const;
    const states = call("GET /nodes/{node}/tasks", "list tasks", params).then(
      (data) => new Map(asRecords(data).map((task) => [asText(task["upid"]), listedState(task)])),
    );
    lists.set(node, { atMs: clock.now(), states });
    return states;
  };

  const stateOf = async (upid: string, node: string, signal: AbortSignal | undefined): Promise<TaskState> => {
    const upids = followed.get(node) ?? new Set();
    const listed = upids.size > 1 ? (await statesOn(node, upids)).get(upid) : undefined;
    if (listed) return listed;
    const data = await call("GET /nodes/{node}/tasks/{upid}/status", "follow a task", { node, upid }, signal);
    const [state = {}] = asRecords([data]);
    return { isRunning: state["status"] === "running", exit: asText(state["exitstatus"]) };
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

    const progressOf = async (signal: AbortSignal | undefined): Promise<number | undefined> => {
      logReadAt = clock.now();
      const lines = await readLog(upid, node, linesRead, signal);
      linesRead += lines.length;
      return lastPercent(lines);
    };

    const look = async (signal?: AbortSignal): Promise<TaskLook> => {
      await clock.sleep(pollDelayMs(clock.now() - startedAt), signal);
      const others = followed.get(node) ?? new Set();
      followed.set(node, others.add(upid));
      const state = await stateOf(upid, node, signal);
      if (state.isRunning) {
        const isDue = clock.now() - logReadAt > progressEveryMs(others.size);
        const percent = isDue ? await progressOf(signal) : undefined;
        return { isRunning: true, ...(percent !== undefined && { percent }) };
      }
      others.delete(upid);
      if (isSuccess(state.exit)) return { isRunning: false };
      const log = await readLog(upid, node, 0, signal).catch(() => []);
      return { isRunning: false, error: taskFailed({ doing, url, upid, exit: state.exit, log }) };
    };

    return {
      upid,
      node,
      look,
      async wait(signal, onProgress) {
        for (;;) {
          const seen = await look(signal);
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

/** A small part of the task's age: short tasks are noticed at once, long ones cost little. */
const pollDelayMs = (ageMs: number): number => Math.min(500, Math.max(100, ageMs / 24));

/** `UPID:NODE:PID:PSTART:STARTTIME:TYPE:ID:USER:` */
export const nodeOfUpid = (upid: string): string => upid.split(":")[1] ?? "";

/** Seconds since 1970 by the clock of its node. */
const startOfUpid = (upid: string): number => Number.parseInt(upid.split(":")[4] ?? "0", 16);

const listedState = (task: Record<string, unknown>): TaskState =>
  task["endtime"] === undefined
    ? { isRunning: true, exit: "" }
    : { isRunning: false, exit: asText(task["status"]) };

export const isSuccess = (exit: string): boolean => exit === "OK" || exit.startsWith("WARNINGS:");

/** `  1050K .......... 12% 1.2M 3s` of a download, `transferred 1.0 GiB of 4.0 GiB (25.00%)` of a disk import. */
export function lastPercent(lines: string[]): number | undefined {
  for (const line of lines.toReversed()) {
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
  const base = refusal({ doing: f.doing, url: f.url, caller, status: 0, message: f.exit, errors: {} });
  const tail = f.log.filter((line) => line.trim() !== "").slice(-logLinesInError);
  return new SlipwayError({
    code: base.code,
    what: base.what,
    why: hasVanished
      ? "its Proxmox task vanished before it had ended"
      : `${base.why}${lastWords(f.exit, tail)}`,
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
