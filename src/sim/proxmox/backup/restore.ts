import { randomUuid } from "../../../lib/index.ts";
import type { CallContext } from "../call.ts";
import type { Vm } from "../state.ts";
import { allocateDisk } from "../storage/allocate-disk.ts";
import { fillVolume } from "../storage/disk-space.ts";
import { storageOnNode, volumeId } from "../storage/volumes.ts";
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
} from "../vm/config/config.ts";
import { printSize } from "../vm/config/disks.ts";
import { demandNetworkRights } from "../vm/config/permissions.ts";
import { archivePath, findArchive } from "./archives.ts";

export interface RestorePlan {
  archive: string;
  /** Where every disk goes; left out: where each was. */
  storage?: string | undefined;
  /** Cards get other addresses, the machine another identity. */
  isUnique: boolean;
  /** Settings that take the place of those in the backup. */
  given: Config;
}

const steps = 5;

/** Fills a machine that has only its number with what a backup holds. */
export async function restoreVm(
  context: CallContext,
  run: TaskRun,
  vm: Vm,
  { archive, storage, isUnique, given }: RestorePlan,
): Promise<void> {
  const { cluster } = context;
  const found = findArchive(cluster, archive, vm.node);
  const { config: before, disks } = found.machine;
  demandNetworkRights(context, before);
  const target = (slot: string): string => storage ?? disks[slot]?.storage ?? "";
  for (const slot of Object.keys(disks)) {
    context.demand.all(`/storage/${target(slot)}`, ["Datastore.AllocateSpace"]);
    storageOnNode(cluster, target(slot), vm.node);
  }
  run.log(`restore vma archive: ${archivePath(cluster, found)}`);
  const config: Config = {};
  for (const [key, value] of Object.entries(before))
    if (!isUnused(key)) config[key] = isNic(key) && isUnique ? otherAddress(context, key, value) : value;
  for (const { slot, drive, file } of drivesOf(before)) {
    const disk = disks[slot];
    if (!disk && isCdrom(drive) && !isCloudInit(file)) continue;
    delete config[slot];
    if (!disk && !isCloudInit(file)) continue;
    const volume = await allocateDisk(cluster, {
      storage: disk ? target(slot) : (storage ?? file.split(":")[0] ?? ""),
      node: vm.node,
      vmid: vm.vmid,
      sizeBytes: disk?.sizeBytes ?? seedBytes,
      format: disk?.format ?? "raw",
      role: disk ? "disk" : "cloudinit",
      origin: disk?.origin,
    });
    run.log(`new volume ID is '${volumeId(volume)}'`);
    if (disk) {
      fillVolume(cluster, volume, disk.usedBytes, archivePath(cluster, found));
      if (disk.data) volume.data = structuredClone(disk.data);
      run.log(`map 'drive-${slot}' to '${volumeId(volume)}' (write zeros = 0)`);
    }
    config[slot] = printDrive(slot, {
      ...drive,
      file: volumeId(volume),
      ...(disk && { size: printSize(volume.sizeBytes) }),
    });
  }
  for (let step = 1; step <= steps; step += 1) {
    await cluster.clock.sleep(cluster.latencies.backupMs / steps, run.signal);
    const bytes = Math.round((found.sizeBytes * step) / steps);
    run.log(`progress ${(step * 100) / steps}% (read ${bytes} bytes, duration ${step} sec)`);
  }
  run.log("space reduction due to 4K zero blocks 1.2%");
  run.log("rescan volumes...");
  vm.config = {
    ...config,
    ...given,
    vmgenid: randomUuid(cluster.random),
    ...(isUnique && { smbios1: `uuid=${randomUuid(cluster.random)}` }),
  };
  cluster.changed();
}

const seedBytes = 4 * 2 ** 20;

function otherAddress({ cluster }: CallContext, key: string, value: string | number): string {
  const { macaddr: _old, ...nic } = parseValue(key, value);
  return printNic(withAddress(nic, cluster.random));
}
