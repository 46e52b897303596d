import { refusal } from "../api-error.ts";
import type { CallContext, Handlers } from "../call.ts";
import { inHashOrder } from "../hash-order.ts";
import { vmLockFile, vmLockWaitMs } from "../locks.ts";
import type { Vm } from "../state.ts";
import type { TaskRun } from "../tasks.ts";
import { configDigest, demandUnlocked, findVm } from "./config/config.ts";
import { cutPower } from "./power.ts";
import {
  deleteSnapshot,
  demandRollBack,
  findSnapshot,
  rollBack,
  snapshotConfig,
  takeSnapshot,
} from "./snapshots.ts";
import { startLater } from "./power-calls.ts";

export const vmSnapshotCalls: Handlers<
  | "GET /nodes/{node}/qemu/{vmid}/snapshot"
  | "POST /nodes/{node}/qemu/{vmid}/snapshot"
  | "DELETE /nodes/{node}/qemu/{vmid}/snapshot/{snapname}"
  | "GET /nodes/{node}/qemu/{vmid}/snapshot/{snapname}/config"
  | "PUT /nodes/{node}/qemu/{vmid}/snapshot/{snapname}/config"
  | "POST /nodes/{node}/qemu/{vmid}/snapshot/{snapname}/rollback"
> = {
  "GET /nodes/{node}/qemu/{vmid}/snapshot": ({ cluster }, { node, vmid }) => {
    const vm = findVm(cluster, node, vmid);
    const rows = inHashOrder(cluster, Object.entries(vm.snapshots)).map(([name, snapshot]) => ({
      name,
      description: snapshot.description,
      snaptime: snapshot.takenAt,
      vmstate: 0,
      parent: snapshot.parent,
    }));
    const current = {
      name: "current",
      description: "You are here!",
      digest: configDigest(vm),
      running: vm.running ? 1 : 0,
      parent: vm.config["parent"],
    };
    return [...rows, current];
  },

  "POST /nodes/{node}/qemu/{vmid}/snapshot": (context, { node, vmid, snapname, description }) => {
    if (snapname === "current" || snapname.toLowerCase() === "pending") {
      throw refusal(`unable to use snapshot name '${snapname.toLowerCase()}' (reserved name)`);
    }
    findVm(context.cluster, node, vmid);
    return snapshotTask(context, { node, vmid }, "qmsnapshot", (vm) => {
      takeSnapshot(context.cluster, vm, snapname, description ?? "");
    });
  },

  "DELETE /nodes/{node}/qemu/{vmid}/snapshot/{snapname}": (context, { node, vmid, snapname }) =>
    snapshotTask(context, { node, vmid }, "qmdelsnapshot", (vm) => {
      deleteSnapshot(context.cluster, vm, snapname);
    }),

  "GET /nodes/{node}/qemu/{vmid}/snapshot/{snapname}/config": ({ cluster }, { node, vmid, snapname }) =>
    snapshotConfig(findVm(cluster, node, vmid), snapname),

  "PUT /nodes/{node}/qemu/{vmid}/snapshot/{snapname}/config": ({ cluster }, params) => {
    if (params.description === undefined) return;
    const vm = findVm(cluster, params.node, params.vmid);
    demandUnlocked(vm);
    findSnapshot(vm, params.snapname).description = params.description;
    cluster.changed();
  },

  "POST /nodes/{node}/qemu/{vmid}/snapshot/{snapname}/rollback": (context, { node, vmid, snapname, start }) =>
    snapshotTask(context, { node, vmid }, "qmrollback", async (vm) => {
      demandRollBack(vm, snapname);
      await cutPower(context.cluster, vm);
      rollBack(context.cluster, vm, snapname);
      if (start) startLater(context, vm);
    }),
};

/** Snapshot jobs take as long as a resize, and hold the machine's lock. */
function snapshotTask(
  context: CallContext,
  { node, vmid }: { node: string; vmid: number },
  type: string,
  work: (vm: Vm) => void | Promise<void>,
): string {
  const { cluster } = context;
  return context.task(node, type, vmid, (run: TaskRun) =>
    cluster.locks.hold(vmLockFile(vmid), vmLockWaitMs, async () => {
      const vm = findVm(cluster, node, vmid);
      await cluster.clock.sleep(cluster.latencies.resizeMs, run.signal);
      await work(vm);
    }),
  );
}
