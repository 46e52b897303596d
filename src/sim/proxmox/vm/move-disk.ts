import { badParameter, refusal, taskError } from "../api-error.ts";
import { allocateDisk, renameVolume } from "../storage/allocate-disk.ts";
import type { Cluster } from "../cluster.ts";
import { fillVolume } from "../storage/disk-space.ts";
import type { Properties } from "../parameters/property-string.ts";
import type { Vm, Volume } from "../state.ts";
import { canDo } from "../storage/features.ts";
import {
  findStorage,
  findVolume,
  isFileStorage,
  removeVolume,
  storageOnNode,
  volumeId,
  volumePath,
} from "../storage/volumes.ts";
import type { TaskRun } from "../tasks.ts";
import { drivesOf, isCdrom, isUnused, parseValue, printDrive } from "./config/config.ts";
import { makeBase, printSize } from "./config/disks.ts";
import { addUnused, leaveBootOrder } from "./config/pending.ts";

/** A drive or an unused volume, and what lies behind it. */
export interface Held {
  drive: Properties;
  file: string;
}

export function heldIn(vm: Vm, slot: string): Held | undefined {
  const value = vm.config[slot];
  if (value === undefined) return undefined;
  const drive = parseValue(slot, value);
  return { drive, file: drive["file"] ?? "" };
}

export const isInSnapshot = (vm: Vm, file: string): boolean =>
  Object.values(vm.snapshots).some(({ config }) => drivesOf(config).some((drive) => drive.file === file));

export interface StorageMove {
  slot: string;
  storage: string;
  format?: string | undefined;
  deletesSource: boolean;
}

/** What the server says before it starts to copy. */
export function demandMovable(cluster: Cluster, vm: Vm, move: StorageMove): Volume {
  const held = heldIn(vm, move.slot);
  if (!held) throw refusal(`disk '${move.slot}' does not exist`);
  if (isCdrom(held.drive)) throw refusal("you can't move a cdrom");
  const volume = findVolume(cluster, held.file, vm.node);
  if (!volume) throw refusal(`disk '${move.slot}' has no associated volume`);
  if (volume.storage === move.storage && (move.format ?? volume.format) === volume.format) {
    throw refusal("you can't move to the same storage with same format");
  }
  if (!storageOnNode(cluster, move.storage, vm.node).content.includes("images")) {
    throw badParameter({ storage: `storage '${move.storage}' does not support vm images` });
  }
  if (move.deletesSource && isInSnapshot(vm, held.file)) {
    throw refusal("you can't move a disk with snapshots and delete the source");
  }
  return volume;
}

/** Copies a disk to another storage, also under a running guest, which goes on writing to the copy. */
export async function moveToStorage(
  cluster: Cluster,
  run: TaskRun,
  vm: Vm,
  move: StorageMove,
): Promise<void> {
  const { slot } = move;
  const volume = demandMovable(cluster, vm, move);
  run.log(`create full clone of drive ${slot} (${volumeId(volume)})`);
  if (vm.running && slot === "tpmstate0") {
    throw refusal("storage migration failed: cannot move TPM state while VM is running");
  }
  const isFile = isFileStorage(findStorage(cluster, move.storage));
  const copy = await allocateDisk(cluster, {
    storage: move.storage,
    node: vm.node,
    vmid: vm.vmid,
    sizeBytes: volume.sizeBytes,
    format: move.format ?? (isFile ? volume.format : "raw"),
    role: "disk",
    origin: volume.origin,
  }).catch((error: unknown) => {
    throw refusal(`storage migration failed: ${taskError(error)}`);
  });
  try {
    await cluster.clock.sleep(cluster.latencies.importMs, run.signal);
  } catch (error) {
    removeVolume(cluster, copy);
    throw error;
  }
  fillVolume(cluster, copy, volume.usedBytes, volumePath(cluster, volumeId(volume)));
  if (volume.data) {
    copy.data = volume.data;
    volume.data = structuredClone(volume.data);
  }
  const drive = heldIn(vm, slot)?.drive ?? {};
  if (Number(vm.config["template"] ?? 0) === 1) makeBase(copy);
  vm.config[slot] = printDrive(slot, { ...drive, file: volumeId(copy), size: printSize(copy.sizeBytes) });
  if (move.deletesSource) removeVolume(cluster, volume);
  else addUnused(vm, volumeId(volume));
  cluster.changed();
}

export interface Reassignment {
  source: Vm;
  slot: string;
  target: Vm;
  targetSlot: string;
}

/** What the server says of giving a disk to another machine. */
export function demandReassignable(
  cluster: Cluster,
  { source, slot, target, targetSlot }: Reassignment,
): Volume {
  if ([source, target].some((vm) => Number(vm.config["template"] ?? 0) === 1)) {
    throw refusal("Can't move disks from or to template VMs");
  }
  const held = heldIn(source, slot);
  if (!held) throw refusal(`Disk '${slot}' for VM '${source.vmid}' does not exist`);
  if (target.config[targetSlot] !== undefined) {
    throw refusal(`Target disk key '${targetSlot}' is already in use for VM '${target.vmid}'`);
  }
  if (isCdrom(held.drive)) throw refusal("CD drive contents can't be moved to another VM");
  const volume = findVolume(cluster, held.file, source.node);
  if (!volume) throw refusal(`Volume '${held.file}' not managed by PVE`);
  if (isInSnapshot(source, held.file)) throw refusal("Can't move disk used by a snapshot to another VM");
  if (!canDo(cluster, volume, "rename")) {
    throw refusal("Storage does not support moving of this disk to another VM");
  }
  if (source.running && !isUnused(slot)) {
    throw refusal("Cannot move disk to another VM while the source VM is running - detach first");
  }
  return volume;
}

/** The volume takes the name of its new owner; what is on it stays. */
export function reassign(cluster: Cluster, run: Pick<TaskRun, "log">, plan: Reassignment): void {
  const { source, slot, target, targetSlot } = plan;
  const volume = demandReassignable(cluster, plan);
  run.log(`moving disk '${slot}' from VM '${source.vmid}' to '${target.vmid}'`);
  const drive = heldIn(source, slot)?.drive ?? {};
  renameVolume(cluster, volume, target.vmid, source.node);
  delete source.config[slot];
  leaveBootOrder(source.config, slot);
  run.log(`removing disk '${slot}' from VM '${source.vmid}' config`);
  target.config[targetSlot] = isUnused(targetSlot)
    ? volumeId(volume)
    : printDrive(targetSlot, { ...drive, file: volumeId(volume), size: printSize(volume.sizeBytes) });
  cluster.changed();
}
