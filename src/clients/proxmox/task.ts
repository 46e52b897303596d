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

// Few tasks are asked one by one, which is exact; with more, one list of the node answers for all of them.
const askSinglyUpTo = 4;
const listMaxAgeMs = 250;
const logLinesInError = 6;
// Short tasks are over before a look at their log would tell anything.
const progressEveryMs = 2_000;

/** Turns UPIDs into something to wait for. */
export type Follow = (upid: string, doing: string) => Task;

/** Calls that are answered with the UPID of the task they have started. */
export const taskStarter =
  (call: Call, follow: Follow): Call<Task> =>
  async (name, doing, params, signal) =>
    follow(asText(await call(name, doing, params, signal)), doing);

export function taskWatcher(call: Call, clock: Clock, url: string): Follow {
  const followed = new Map<string, Set<string>>();
  const lists = new Map<string, { atMs: number; running: Promise<Set<string>> }>();

  const runningOn = (node: string): Promise<Set<string>> => {
    const last = lists.get(node);
    if (last && clock.now() - last.atMs < listMaxAgeMs) return last.running;
    const running = call("GET /nodes/{node}/tasks", "list tasks", {
      node,
      source: "active",
      limit: 1000,
    }).then(
      (data) =>
        new Set(
          asRecords(data)
            .filter((task) => task["endtime"] === undefined)
            .map((task) => asText(task["upid"])),
        ),
    );
    lists.set(node, { atMs: clock.now(), running });
    return running;
  };

  const stateOf = async (upid: string, node: string, signal: AbortSignal | undefined): Promise<TaskState> => {
    if ((followed.get(node)?.size ?? 0) > askSinglyUpTo && (await runningOn(node)).has(upid)) {
      return { isRunning: true, exit: "" };
    }
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
    let looks = 0;

    const progressOf = async (signal: AbortSignal | undefined): Promise<number | undefined> => {
      logReadAt = clock.now();
      const lines = await readLog(upid, node, linesRead, signal);
      linesRead += lines.length;
      return lastPercent(lines);
    };

    const look = async (signal?: AbortSignal): Promise<TaskLook> => {
      if (looks > 0) await clock.sleep(pollDelayMs(clock.now() - startedAt), signal);
      looks += 1;
      const others = followed.get(node) ?? new Set();
      followed.set(node, others.add(upid));
      const state = await stateOf(upid, node, signal);
      if (state.isRunning) {
        const percent = clock.now() - logReadAt > progressEveryMs ? await progressOf(signal) : undefined;
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
  const more = tail.filter((line) => !line.startsWith("TASK ") && !line.includes(exit)).slice(-2);
  return more.length === 0 ? "" : ` (before that: ${more.map((line) => line.trim()).join("; ")})`;
}
