import type { StepContext } from "../../../plan/index.ts";
import type { MachineWant } from "../machine/machine-want.ts";
import { boardOf } from "../machine/machine-firmware.ts";

/**
 * Proxmox sets room aside for disks of one storage one after the other, and whoever waits longer than ten seconds for
 * that fails. Nobody tells how long the queue is, so it is reckoned here: work is held back just enough to keep it
 * short, and the storage never stands idle for it.
 */
export interface AllocationQueue {
  /**
   * Joins the queue of a storage with so many disks; returns how long to hold back before asking for them. What a whole
   * cluster waits for goes first: Proxmox takes turns between those who ask at once.
   */
  join(storage: string, disks: number, nowMs: number, isFirst?: boolean): number;
}

/** A generous guess for thin LVM; file storages are quicker. */
const perDiskMs = 300;
/** Well below the ten seconds, for storages slower than the guess. */
const longestQueueMs = 6_000;

export function allocationQueue(): AllocationQueue {
  const freeAtMs = new Map<string, number>();
  const firstDoneAtMs = new Map<string, number>();
  return {
    join(storage, disks, nowMs, isFirst = false) {
      const queuedMs = Math.max(0, (freeAtMs.get(storage) ?? 0) - nowMs);
      freeAtMs.set(storage, nowMs + queuedMs + disks * perDiskMs);
      const firstMs = Math.max(0, (firstDoneAtMs.get(storage) ?? 0) - nowMs);
      if (isFirst) firstDoneAtMs.set(storage, nowMs + firstMs + disks * perDiskMs);
      return Math.max(isFirst ? 0 : firstMs, queuedMs - longestQueueMs);
    },
  };
}

/** Waits until asking for the disks of a machine would not make its storages' queues too long. */
export async function waitTurn(ctx: StepContext, queue: AllocationQueue, want: MachineWant): Promise<void> {
  const now = ctx.clock.now();
  const delays = [...disksByStorage(want)].map(([storage, disks]) =>
    queue.join(`${want.host}/${storage}`, disks, now, want.role === "control-plane"),
  );
  const until = now + Math.max(0, ...delays);
  if (until === now) return;
  await ctx.waitFor(
    {
      what: `a turn at the storages of ${want.host}`,
      probe: "queue",
      deadlineMs: until - now + 60_000,
      everyMs: 500,
    },
    async () =>
      ctx.clock.now() >= until
        ? { done: true, value: undefined }
        : { done: false, seen: "others' disks are being made" },
  );
}

function disksByStorage(want: MachineWant): Map<string, number> {
  const { bios, hasTpm } = boardOf(want);
  const storages = [
    want.storage,
    ...(bios === "ovmf" ? [want.storage] : []),
    ...(hasTpm ? [want.storage] : []),
    want.seedStorage ?? want.storage,
    ...want.dataDisks.map((disk) => disk.storage),
  ];
  const counts = new Map<string, number>();
  for (const storage of storages) counts.set(storage, (counts.get(storage) ?? 0) + 1);
  return counts;
}
