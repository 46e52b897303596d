import { defineResource, same } from "../../../plan/index.ts";
import { finishTask, powerOff, powerOn } from "../tasks.ts";
import type { HostRegistry } from "../host-registry.ts";
import type { SnapshotWant } from "./snapshot.ts";

/** One part of rolling machines back: all are stopped before the first goes back, and none starts before the last has. */
export interface RollbackWant extends SnapshotWant {
  part: "stop" | "back" | "start";
}

const rollWait = { deadlineMs: 20 * 60_000, usualMs: 3_000 };

/** Work, not a thing: it is never found done, so it can be run again after an interruption. */
export const proxmoxRollback = (registry: HostRegistry) =>
  defineResource<RollbackWant, RollbackWant>({
    kind: "proxmox/rollback",
    read: () => Promise.resolve(undefined),
    compare: () => same,
    async create(ctx, want) {
      const client = await registry.client(want.host);
      const machine = { node: want.on, vmid: want.vmid };
      const isRunning = await client.isMachineRunning(machine, ctx.signal);
      if (want.part === "stop" && isRunning) await powerOff(ctx, client, machine);
      if (want.part === "start" && !isRunning) await powerOn(ctx, client, machine);
      if (want.part === "back") {
        const task = await client.rollBack(machine, want.name, ctx.signal);
        await finishTask(ctx, task, { what: `${want.on} to roll machine ${want.vmid} back`, ...rollWait });
      }
      return want;
    },
    update: (_ctx, want) => Promise.resolve(want),
    remove: () => Promise.resolve(),
  });
