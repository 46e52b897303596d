import type { Call, Params } from "../../clients/proxmox/endpoints/index.ts";
import { demandAll, demandAny, mayAll, mayAny, type Caller } from "./access/caller.ts";
import type { Cluster } from "./cluster.ts";
import type { Upload } from "./http/multipart.ts";
import { lockTimeout, vmLockFile, vmLockWaitMs } from "./locks.ts";
import { failWithoutQuorum } from "./nodes/quorum.ts";
import { pidOf, startTask, workerDied, type TaskRun } from "./tasks.ts";

/** One call being answered. */
export interface CallContext {
  cluster: Cluster;
  caller: Caller;
  /** The node whose API port got the request. */
  entry: string;
  upload?: Upload | undefined;
  may: {
    all(path: string, privs: readonly string[]): boolean;
    any(path: string, privs: readonly string[]): boolean;
  };
  demand: {
    all(path: string, privs: readonly string[]): void;
    any(path: string, privs: readonly string[]): void;
  };
  /** Starts a task in the caller's name and returns its UPID. */
  task(node: string, type: string, id: string | number, work: (run: TaskRun) => Promise<void>): string;
}

/** A part of a longer list, with the length of the whole. */
export class Listing {
  readonly rows: unknown;
  readonly total: number;

  constructor(rows: unknown, total: number) {
    this.rows = rows;
    this.total = total;
  }
}

/** An answer that is a file, not JSON. */
export class PlainText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Answers one call: the value becomes `data`. */
export type Handler<C extends Call> = (context: CallContext, params: Params<C>) => unknown;
export type Handlers<C extends Call = Call> = { [Name in C]: Handler<Name> };

/** What an injected fault does to the task a call starts. */
export type TaskFault = "lock" | "die" | undefined;

export function callContext(
  cluster: Cluster,
  caller: Caller,
  entry: string,
  more: { upload?: Upload | undefined; fault?: TaskFault; hasQuorum: boolean },
): CallContext {
  return {
    cluster,
    caller,
    entry,
    upload: more.upload,
    may: {
      all: (path, privs) => mayAll(cluster, caller, path, privs),
      any: (path, privs) => mayAny(cluster, caller, path, privs),
    },
    demand: {
      all: (path, privs) => demandAll(cluster, caller, path, privs),
      any: (path, privs) => demandAny(cluster, caller, path, privs),
    },
    task: (node, type, id, work) =>
      startTask(cluster, { node, type, id: String(id), owner: caller.id }, (run) =>
        withFault(cluster, more.fault, id, run.signal, () => {
          const refused = more.hasQuorum ? undefined : failWithoutQuorum(type, node, id, pidOf(run.upid));
          return refused ? Promise.reject(refused) : work(run);
        }),
      ),
  };
}

async function withFault(
  cluster: Cluster,
  fault: TaskFault,
  id: string | number,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  if (fault === "die") throw workerDied();
  if (fault === "lock") {
    await cluster.clock.sleep(vmLockWaitMs, signal);
    throw lockTimeout(typeof id === "number" ? vmLockFile(id) : "/var/lock/pve-manager/pve-storage");
  }
  await work();
}
