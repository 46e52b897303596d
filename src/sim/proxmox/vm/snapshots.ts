import { randomUuid } from "../../../lib/index.ts";
import { refusal } from "../api-error.ts";
import { seconds, type Cluster } from "../cluster.ts";
import type { GuestDisk } from "../../guest.ts";
import type { Snapshot, Vm, Volume } from "../state.ts";
import { canDo } from "../storage/features.ts";
import { findVolume } from "../storage/volumes.ts";
import { demandUnlocked, drivesOf, hideSecrets, isCdrom, isUnused, type Config } from "./config/config.ts";
import { parseSize } from "./config/disks.ts";
import { addUnused } from "./config/pending.ts";

export function findSnapshot(vm: Vm, name: string): Snapshot {
  const snapshot = vm.snapshots[name];
  if (!snapshot) throw refusal(`snapshot '${name}' does not exist`);
  return snapshot;
}

/** The configuration a snapshot keeps. */
export function snapshotConfig(vm: Vm, name: string): Config {
  const { config, takenAt, description, parent } = findSnapshot(vm, name);
  return {
    ...hideSecrets(config),
    snaptime: takenAt,
    ...(description !== "" && { description }),
    ...(parent !== undefined && { parent }),
  };
}

export function takeSnapshot(cluster: Cluster, vm: Vm, name: string, description: string): void {
  demandNoTemplate(vm, "you can't take a snapshot if it's a template");
  demandUnlocked(vm);
  if (vm.snapshots[name]) throw refusal(`snapshot name '${name}' already used`);
  if (!canSnapshot(cluster, vm)) throw refusal("snapshot feature is not available");
  const { parent, lock: _lock, description: _notes, ...rest } = vm.config;
  vm.snapshots[name] = {
    config: Object.fromEntries(Object.entries(rest).filter(([key]) => !isUnused(key))),
    disks: writtenDisks(cluster, vm),
    takenAt: seconds(cluster),
    description,
    parent: parent === undefined ? undefined : String(parent),
  };
  vm.config["parent"] = name;
  cluster.changed();
}

function canSnapshot(cluster: Cluster, vm: Vm): boolean {
  return drivesOf(vm.config)
    .filter(({ drive }) => !isCdrom(drive))
    .every(({ file }) => {
      const volume = findVolume(cluster, file, vm.node);
      return volume !== undefined && canDo(cluster, volume, "snapshot");
    });
}

function demandNoTemplate({ config }: Vm, problem: string): void {
  if (Number(config["template"] ?? 0) === 1) throw refusal(problem);
}

export function demandRollBack(vm: Vm, name: string): void {
  demandNoTemplate(vm, "you can't rollback if vm is a template");
  findSnapshot(vm, name);
  demandUnlocked(vm);
}

/** Disk and configuration go back; the machine keeps its own notes, and as unused the disks that came since. */
export function rollBack(cluster: Cluster, vm: Vm, name: string): void {
  const snapshot = findSnapshot(vm, name);
  const kept = Object.entries(vm.config).filter(([key]) => key === "description" || isUnused(key));
  const held = new Set(drivesOf(snapshot.config).map(({ file }) => file));
  const since = drivesOf(vm.config).filter(({ drive, file }) => !isCdrom(drive) && !held.has(file));
  vm.config = {
    ...snapshot.config,
    ...Object.fromEntries(kept),
    ...(snapshot.config["vmgenid"] !== undefined && { vmgenid: randomUuid(cluster.random) }),
    parent: name,
  };
  for (const { file } of since) addUnused(vm, file);
  for (const { drive, file } of drivesOf(vm.config)) {
    const volume = findVolume(cluster, file, vm.node);
    if (!volume || isCdrom(drive)) continue;
    restoreData(volume, snapshot.disks[file]);
    if (drive["size"] !== undefined) volume.sizeBytes = parseSize(drive["size"]);
  }
  vm.pending = { set: {}, delete: [] };
  cluster.changed();
}

function writtenDisks(cluster: Cluster, vm: Vm): Snapshot["disks"] {
  const disks: Snapshot["disks"] = {};
  for (const { file } of drivesOf(vm.config)) {
    const data = findVolume(cluster, file, vm.node)?.data;
    if (data !== undefined) disks[file] = structuredClone(data);
  }
  return disks;
}

function restoreData(volume: Volume, data: GuestDisk | undefined): void {
  if (data === undefined) delete volume.data;
  else volume.data = structuredClone(data);
}

/** What stood on the snapshot now stands on its parent. */
export function deleteSnapshot(cluster: Cluster, vm: Vm, name: string): void {
  const { parent } = findSnapshot(vm, name);
  demandUnlocked(vm);
  demandNoTemplate(vm, "you can't delete a snapshot if vm is a template");
  delete vm.snapshots[name];
  for (const other of Object.values(vm.snapshots)) {
    if (other.parent !== name) continue;
    if (parent === undefined) delete other.parent;
    else other.parent = parent;
  }
  if (vm.config["parent"] === name) {
    if (parent === undefined) delete vm.config["parent"];
    else vm.config["parent"] = parent;
  }
  cluster.changed();
}
