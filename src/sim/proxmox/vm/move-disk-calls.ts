import { badParameter, refusal } from "../api-error.ts";
import type { CallContext, Handlers } from "../call.ts";
import type { Params } from "../../../clients/proxmox/endpoints/index.ts";
import { vmLockFile, vmLockWaitMs } from "../locks.ts";
import {
  demandMovable,
  demandReassignable,
  moveToStorage,
  reassign,
  type Reassignment,
  type StorageMove,
} from "./move-disk.ts";
import { demandUnlocked, findVm, isStale, isUnused } from "./config/config.ts";

type MoveParams = Params<"POST /nodes/{node}/qemu/{vmid}/move_disk">;

export const vmMoveDiskCalls: Handlers<"POST /nodes/{node}/qemu/{vmid}/move_disk"> = {
  "POST /nodes/{node}/qemu/{vmid}/move_disk": (context, params) => {
    const { storage, "target-vmid": target } = params;
    if (storage !== undefined && target !== undefined) {
      throw bothOrNeither("either set 'storage' or 'target-vmid', but not both");
    }
    if (target !== undefined) return giveAway(context, params, target);
    if (storage !== undefined) return moveAway(context, params, storage);
    throw bothOrNeither("both 'storage' and 'target-vmid' missing, either needs to be set");
  },
};

const changedMeanwhile = "detected modified configuration - file changed by other user? Try again.";

const bothOrNeither = (text: string) => badParameter({ "target-vmid": text, storage: text });

function moveAway(context: CallContext, params: MoveParams, storage: string): string {
  const { cluster } = context;
  const { node, vmid, disk } = params;
  context.demand.all(`/storage/${storage}`, ["Datastore.AllocateSpace"]);
  if (isUnused(disk)) {
    throw refusal(`cannot move disk '${disk}', only configured disks can be moved to another storage`);
  }
  const move: StorageMove = {
    slot: disk,
    storage,
    deletesSource: params.delete ?? false,
    format: params.format,
  };
  const look = () => {
    const vm = findVm(cluster, node, vmid);
    demandUnlocked(vm);
    if (isStale(vm, params.digest)) throw refusal(changedMeanwhile);
    demandMovable(cluster, vm, move);
    return vm;
  };
  look();
  return context.task(node, "qmmove", vmid, (run) =>
    cluster.locks.hold(vmLockFile(vmid), vmLockWaitMs, () => moveToStorage(cluster, run, look(), move)),
  );
}

function giveAway(context: CallContext, params: MoveParams, targetId: number): string {
  const { cluster } = context;
  const { node, vmid, disk } = params;
  const targetSlot = params["target-disk"] ?? disk;
  context.demand.all(`/vms/${targetId}`, ["VM.Config.Disk"]);
  if (targetId === vmid) {
    throw badParameter({ "target-vmid": "must be different than source VMID to reassign disk" });
  }
  const look = (): Reassignment => {
    const plan = { ...bothMachines(context, params, targetId), slot: disk, targetSlot };
    demandReassignable(cluster, plan);
    return plan;
  };
  const { storage } = demandReassignable(cluster, look());
  context.demand.all(`/storage/${storage}`, ["Datastore.AllocateSpace"]);
  return context.task(node, "qmmove", `${vmid}-${disk}>${targetId}-${targetSlot}`, (run) =>
    cluster.locks.hold(vmLockFile(vmid), vmLockWaitMs, () =>
      cluster.locks.hold(vmLockFile(targetId), vmLockWaitMs, async () => reassign(cluster, run, look())),
    ),
  );
}

function bothMachines({ cluster }: CallContext, params: MoveParams, targetId: number) {
  const { node, vmid } = params;
  const elsewhere = cluster.state.vms[String(targetId)]?.node ?? node;
  if (elsewhere !== node) {
    throw refusal(`Both VMs need to be on the same node (${node}) but target VM is on ${elsewhere}.`);
  }
  const source = findVm(cluster, node, vmid);
  demandUnlocked(source);
  const target = findVm(cluster, node, targetId);
  demandUnlocked(target);
  for (const [vm, digest] of [
    [source, params.digest],
    [target, params["target-digest"]],
  ] as const) {
    if (isStale(vm, digest)) throw refusal(`VM ${vm.vmid}: ${changedMeanwhile}`);
  }
  return { source, target };
}
