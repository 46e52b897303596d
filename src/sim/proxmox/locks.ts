import type { Clock } from "../../lib/index.ts";
import { refusal } from "./api-error.ts";

/**
 * What excludes what on the simulated cluster.
 *
 * - One lock per VM, held for the whole of a power, configuration, resize or delete job; who waits longer than ten
 *   seconds fails with the text of the real server. Create holds it only while it claims the number: from then on
 *   the configuration carries `lock: create`.
 * - One lock per storage and node (one for the cluster when it is shared) around setting room aside for a volume.
 *   The copy of an imported image runs outside it, at its own pace whatever runs beside it, as `qemu-img` does after
 *   the allocation.
 */
export interface Locks {
  /** Runs `work` alone among all who name the same file. */
  hold<T>(file: string, waitMs: number, work: () => Promise<T>): Promise<T>;
}

export const vmLockWaitMs = 10_000;

export const vmLockFile = (vmid: number): string => `/var/lock/qemu-server/lock-${vmid}.conf`;
export const storageLockFile = (storage: string, node: string | undefined): string =>
  node === undefined ? `storage-${storage}` : `/var/lock/pve-manager/${node}/pve-storage-${storage}`;

export const lockTimeout = (file: string) => refusal(`can't lock file '${file}' - got timeout`);

export function createLocks(clock: Clock): Locks {
  const queues = new Map<string, (() => void)[]>();

  const release = (file: string): void => {
    const next = queues.get(file)?.shift();
    if (next) next();
    else queues.delete(file);
  };

  const acquire = async (file: string, waitMs: number): Promise<void> => {
    const queue = queues.get(file);
    if (!queue) {
      queues.set(file, []);
      return;
    }
    const giveUp = new AbortController();
    let isMine = false;
    let takeTurn = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      takeTurn = () => {
        isMine = true;
        giveUp.abort();
        resolve();
      };
      queue.push(takeTurn);
    });
    await Promise.race([turn, clock.sleep(waitMs, giveUp.signal).catch(() => turn)]);
    if (isMine) return;
    queue.splice(queue.indexOf(takeTurn), 1);
    throw lockTimeout(file);
  };

  return {
    async hold(file, waitMs, work) {
      await acquire(file, waitMs);
      try {
        return await work();
      } finally {
        release(file);
      }
    },
  };
}
