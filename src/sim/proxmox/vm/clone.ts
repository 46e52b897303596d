import { randomUuid } from "../../../lib/index.ts";
import { refusal } from "../api-error.ts";
import { allocateDisk } from "../storage/allocate-disk.ts";
import type { Cluster } from "../cluster.ts";
import { fillVolume } from "../storage/disk-space.ts";
import type { Properties } from "../parameters/property-string.ts";
import type { Vm, Volume } from "../state.ts";
import { canDo } from "../storage/features.ts";
import { findStorage, findVolume, isFileStorage, volumeId, volumePath } from "../storage/volumes.ts";
import type { TaskRun } from "../tasks.ts";
import {
  drivesOf,
  isCdrom,
  isCloudInit,
  isNic,
  isUnused,
  parseValue,
  printDrive,
  printNic,
  withAddress,
  type Config,
} from "./config/config.ts";
import { printSize } from "./config/disks.ts";
import { findSnapshot } from "./snapshots.ts";

export interface ClonePlan {
  source: Vm;
  target: Vm;
  isFull: boolean;
  storage?: string | undefined;
  format?: string | undefined;
  snapname?: string | undefined;
  name?: string | undefined;
  description?: string | undefined;
}

/** The configuration to copy: that of now, or of a snapshot. */
export function clonedConfig(source: Vm, snapname: string | undefined): Config {
  if (snapname === undefined) return source.config;
  const snapshot = findSnapshot(source, snapname);
  return {
    ...snapshot.config,
    ...(snapshot.description !== "" && { description: snapshot.description }),
  };
}

const bySlot = (config: Config) => drivesOf(config).toSorted((a, b) => (a.slot < b.slot ? -1 : 1));

/** Copies disks and configuration; addresses and identities are new. */
export async function cloneVm(cluster: Cluster, run: TaskRun, plan: ClonePlan): Promise<void> {
  const { source, target } = plan;
  run.log(`creating a clone of VM ${source.vmid} with ID ${target.vmid}`);
  const before = clonedConfig(source, plan.snapname);
  const config: Config = {};
  for (const [key, value] of Object.entries(before)) {
    if (["template", "lock", "parent", "snaptime"].includes(key) || isUnused(key)) continue;
    config[key] = isNic(key) ? renewAddress(cluster, key, value) : value;
  }
  for (const { slot, drive, file } of bySlot(before)) {
    const volume = findVolume(cluster, file, source.node);
    const isOwn = volume !== undefined && (!isCdrom(drive) || isCloudInit(file));
    if (isOwn) config[slot] = await copyDrive(cluster, run, plan, slot, drive, volume);
  }
  await cluster.clock.sleep(
    plan.isFull ? cluster.latencies.importMs : cluster.latencies.createMs,
    run.signal,
  );
  target.config = {
    ...config,
    name: plan.name ?? `Copy-of-VM-${before["name"] ?? source.vmid}`,
    ...(plan.description && { description: plan.description }),
    smbios1: renewUuid(cluster, String(before["smbios1"] ?? "")),
    ...(before["vmgenid"] !== undefined && { vmgenid: randomUuid(cluster.random) }),
  };
  cluster.changed();
}

function renewAddress(cluster: Cluster, key: string, value: string | number): string {
  const { macaddr: _old, ...nic } = parseValue(key, value);
  return printNic(withAddress(nic, cluster.random));
}

function renewUuid({ random }: Cluster, smbios: string): string {
  const fresh = `uuid=${randomUuid(random)}`;
  return smbios.includes("uuid=") ? smbios.replace(/uuid=[^,]*/, fresh) : fresh;
}

async function copyDrive(
  cluster: Cluster,
  run: TaskRun,
  plan: ClonePlan,
  slot: string,
  drive: Properties,
  volume: Volume,
): Promise<string> {
  const { target } = plan;
  const isSeed = isCloudInit(volume.name);
  const isFull = plan.isFull || isSeed || slot === "tpmstate0";
  run.log(`create ${isFull ? "full" : "linked"} clone of drive ${slot} (${volumeId(volume)})`);
  const storage = (plan.isFull ? plan.storage : undefined) ?? volume.storage;
  const isFile = isFileStorage(findStorage(cluster, storage));
  const copy = await allocateDisk(cluster, {
    storage,
    node: target.node,
    vmid: target.vmid,
    sizeBytes: volume.sizeBytes,
    // A linked clone stands on its base as a file of its own, which only qcow2 can.
    format: formatOf(plan, slot, volume, { isFull, isFile }),
    role: isSeed ? "cloudinit" : "disk",
    origin: volume.origin,
    base: isFull ? undefined : volume,
  });
  if (isFull) fillVolume(cluster, copy, volume.usedBytes, volumePath(cluster, volumeId(volume)));
  const written = plan.snapname === undefined ? volume.data : dataIn(plan.source, plan.snapname, volume);
  if (written !== undefined) copy.data = structuredClone(written);
  return printDrive(slot, { ...drive, file: volumeId(copy), size: printSize(copy.sizeBytes) });
}

function formatOf(
  { format }: ClonePlan,
  slot: string,
  volume: Volume,
  { isFull, isFile }: { isFull: boolean; isFile: boolean },
): string {
  if (!isFull) return isFile ? "qcow2" : "raw";
  return slot === "tpmstate0" ? "raw" : (format ?? volume.format);
}

const dataIn = (source: Vm, snapname: string, volume: Volume) =>
  findSnapshot(source, snapname).disks[volumeId(volume)];

/** A copy in full needs a disk that can be read, a linked one a disk that can be stood on. */
export function demandCloneable(
  cluster: Cluster,
  source: Vm,
  isFull: boolean,
  snapname: string | undefined,
): void {
  for (const { slot, drive, file } of bySlot(clonedConfig(source, snapname))) {
    if (isFull && source.running && snapname === undefined && slot === "tpmstate0") {
      throw refusal("cannot clone TPM state while VM is running");
    }
    const volume = findVolume(cluster, file, source.node);
    if (isCdrom(drive) || !volume) continue;
    const isCopied = isFull || slot === "tpmstate0";
    if (canDo(cluster, volume, isCopied ? "copy" : "clone", snapname !== undefined)) continue;
    const of = snapname === undefined ? "" : " a snapshot of";
    throw refusal(
      `${isCopied ? "Full" : "Linked"} clone feature is not supported for${of} '${file}' (${slot})`,
    );
  }
}
