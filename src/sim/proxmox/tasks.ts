import { taskError } from "./api-error.ts";
import { seconds, type Cluster } from "./cluster.ts";
import type { Task } from "./state.ts";

/** What a worker may do besides its work. */
export interface TaskRun {
  log(line: string): void;
  /** Aborted when somebody stops the task. */
  signal: AbortSignal;
  upid: string;
}

export interface TaskStart {
  node: string;
  type: string;
  id: string;
  owner: string;
}

/** How many finished tasks a cluster remembers. */
const historyLength = 1000;

/** Reported when a worker vanished without saying how it ended. */
export const vanished = "unexpected status";

class WorkerDied extends Error {}

/** Thrown inside a task: its worker is gone, and nobody writes an end to its log. */
export const workerDied = (): Error => new WorkerDied("worker died");

/** Starts work in the background and returns its UPID at once. */
export function startTask(cluster: Cluster, start: TaskStart, work: (run: TaskRun) => Promise<void>): string {
  const { state } = cluster;
  const task = newTask(cluster, start);
  const abort = new AbortController();
  state.tasks.push(task);
  if (state.tasks.length > historyLength) state.tasks.splice(0, state.tasks.length - historyLength);
  const run: TaskRun = { upid: task.upid, signal: abort.signal, log: (line) => void task.log.push(line) };
  const done = runWorker(cluster, task, () => work(run)).finally(() => cluster.workers.delete(task.upid));
  cluster.workers.set(task.upid, { abort, done });
  cluster.changed();
  return task.upid;
}

async function runWorker(cluster: Cluster, task: Task, work: () => Promise<void>): Promise<void> {
  try {
    await work();
    task.log.push("TASK OK");
    task.exitstatus = "OK";
  } catch (error) {
    if (error instanceof WorkerDied) task.exitstatus = vanished;
    else {
      task.exitstatus = taskError(error);
      task.log.push(`TASK ERROR: ${task.exitstatus}`);
    }
  }
  task.endtime = seconds(cluster);
  cluster.changed();
}

function newTask(cluster: Cluster, start: TaskStart): Task {
  const { state } = cluster;
  const pid = state.nextPid++;
  const starttime = seconds(cluster);
  const pstart = Math.floor((cluster.clock.now() - state.bootedAt) / 10);
  const upid = `UPID:${start.node}:${hex(pid)}:${hex(pstart)}:${hex(starttime)}:${start.type}:${start.id}:${start.owner}:`;
  return { ...start, upid, pid, pstart, starttime, log: [] };
}

export const pidOf = (upid: string): number => Number.parseInt(upid.split(":")[2] ?? "", 16);

const hex = (value: number): string => value.toString(16).toUpperCase().padStart(8, "0");

/** Asks a running task to stop; it ends with the words of a worker that got a signal. */
export function stopTask(cluster: Cluster, upid: string): void {
  cluster.workers.get(upid)?.abort.abort(new Error("received interrupt"));
}

/** After a restart of the simulator nobody works on what was under way: as after a reboot of the node. */
export function endLeftovers(cluster: Cluster): void {
  for (const task of cluster.state.tasks) {
    if (task.exitstatus !== undefined) continue;
    task.exitstatus = vanished;
    task.endtime = seconds(cluster);
  }
}
