import { refusal } from "../api-error.ts";
import { seconds, type Cluster } from "../cluster.ts";
import { vmLockFile, vmLockWaitMs } from "../locks.ts";
import type { ArchivedMachine, Vm, Volume } from "../state.ts";
import { addVolume, findVolume, usage, volumePath } from "../storage/volumes.ts";
import type { TaskRun } from "../tasks.ts";
import { demandUnlocked, drivesOf, isCdrom } from "../vm/config/config.ts";
import { printSize } from "../vm/config/disks.ts";
import { isOnBackupServer, localTime } from "./archives.ts";

/** What of a job concerns one machine. */
export interface BackupJob {
  storage: string;
  mode?: string | undefined;
  compress?: string | undefined;
  "notes-template"?: string | undefined;
}

/** How often a backup tells how far it is. */
const steps = 5;

/** Copies the disks of a machine into a backup. It is locked meanwhile and goes on running. */
export async function takeBackup(cluster: Cluster, run: TaskRun, vm: Vm, job: BackupJob): Promise<void> {
  const startedMs = cluster.clock.now();
  const info = (line: string) => run.log(`INFO: ${line}`);
  info(`Starting Backup of VM ${vm.vmid} (qemu)`);
  info(`Backup started at ${localTime(cluster)}`);
  info(`status = ${vm.running ? "running" : "stopped"}`);
  await cluster.locks.hold(vmLockFile(vm.vmid), vmLockWaitMs, async () => {
    demandUnlocked(vm);
    vm.config["lock"] = "backup";
    cluster.changed();
  });
  try {
    const disks = disksOf(cluster, vm, info);
    info(`backup mode: ${vm.running ? (job.mode ?? "snapshot") : "stop"}`);
    info("ionice priority: 7");
    await write(cluster, run, vm, job, disks);
  } finally {
    delete vm.config["lock"];
    cluster.changed();
  }
  const took = new Date(cluster.clock.now() - startedMs).toISOString().slice(11, 19);
  info(`Finished Backup of VM ${vm.vmid} (${took})`);
  info(`Backup finished at ${localTime(cluster)}`);
}

type Disk = Volume & { slot: string };

/** Discs stay out, and so does what says so itself. */
function disksOf(cluster: Cluster, vm: Vm, info: (line: string) => void): Disk[] {
  info(`VM Name: ${vm.config["name"] ?? `vm${vm.vmid}`}`);
  return drivesOf(vm.config).flatMap(({ slot, drive, file }) => {
    const volume = findVolume(cluster, file, vm.node);
    if (!volume || isCdrom(drive)) return [];
    const isLeftOut = drive["backup"] === "0";
    info(`${isLeftOut ? "exclude" : "include"} disk '${slot}' '${file}' ${printSize(volume.sizeBytes)}`);
    return isLeftOut ? [] : [{ ...volume, slot }];
  });
}

async function write(cluster: Cluster, run: TaskRun, vm: Vm, job: BackupJob, disks: Disk[]): Promise<void> {
  const { storage } = job;
  const isServer = isOnBackupServer(cluster, storage);
  const name = archiveName(cluster, vm.vmid, isServer, job.compress ?? "0");
  const target = isServer ? name.slice("backup/".length) : volumePath(cluster, `${storage}:${name}`);
  run.log(`INFO: creating ${isServer ? "Proxmox Backup Server" : "vzdump"} archive '${target}'`);
  // The copy is of the moment in which it begins; what the guest writes meanwhile is not in it.
  const machine = archived(vm, disks, job["notes-template"] ?? "");
  const createdAt = seconds(cluster);
  const total = disks.reduce((sum, disk) => sum + disk.sizeBytes, 0);
  const stored = disks.reduce((sum, disk) => sum + Math.ceil(disk.usedBytes / 2), 0);
  for (let step = 1; step <= steps; step += 1) {
    await cluster.clock.sleep(cluster.latencies.backupMs / steps, run.signal);
    if ((stored * step) / steps > usage(cluster, storage, vm.node).avail) throw noSpace(run, isServer);
    run.log(progressLine(total, step, cluster.latencies.backupMs));
  }
  run.log(
    `INFO: backup is sparse: ${gib(total - stored)} (${percentOf(total - stored, total)}%) total zero data`,
  );
  const format = isServer ? "pbs-vm" : formatOf(name);
  const sizes = { sizeBytes: total, usedBytes: stored };
  const volume = addVolume(cluster, vm.node, { storage, name, content: "backup", format, ...sizes, machine });
  // Listed with the time in its name, which is that of its beginning.
  volume.createdAt = createdAt;
  if (!isServer) run.log(`INFO: archive file size: ${(stored / 2 ** 30).toFixed(2)}GB`);
  if (machine.notes !== "") run.log("INFO: adding notes to backup");
}

function archived(vm: Vm, disks: Disk[], template: string): ArchivedMachine {
  const { lock: _lock, parent: _parent, ...config } = vm.config;
  const names: Record<string, string> = {
    guestname: String(vm.config["name"] ?? ""),
    node: vm.node,
    vmid: String(vm.vmid),
  };
  return {
    config,
    notes: template.replaceAll(/\{\{(\w+)\}\}/g, (all, key: string) => names[key] ?? all),
    disks: Object.fromEntries(
      disks.map(({ slot, format, sizeBytes, usedBytes, origin, data, storage }) => [
        slot,
        structuredClone({ storage, format, sizeBytes, usedBytes, origin, ...(data && { data }) }),
      ]),
    ),
  };
}

const extensions: Record<string, string> = {
  "0": "vma",
  "1": "vma.lzo",
  lzo: "vma.lzo",
  gzip: "vma.gz",
  zstd: "vma.zst",
};

function archiveName(cluster: Cluster, vmid: number, isServer: boolean, compress: string): string {
  const time = new Date(cluster.clock.now()).toISOString().slice(0, 19);
  if (isServer) return `backup/vm/${vmid}/${time}Z`;
  const stamp = time.replaceAll("-", "_").replace("T", "-").replaceAll(":", "_");
  return `backup/vzdump-qemu-${vmid}-${stamp}.${extensions[compress] ?? "vma"}`;
}

const formatOf = (name: string): string => name.slice(name.indexOf(".vma") + 1);

const gib = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;
const percentOf = (part: number, whole: number): number =>
  whole === 0 ? 100 : Math.floor((part * 100) / whole);

function progressLine(total: number, step: number, takesMs: number): string {
  const percent = String((step * 100) / steps).padStart(3);
  const tookSeconds = Math.round((takesMs * step) / steps / 1000);
  return `INFO: ${percent}% (${gib((total * step) / steps)} of ${gib(total)}) in ${tookSeconds}s, read: 512.0 MiB/s, write: 498.2 MiB/s`;
}

/** The compressor, or the server, runs out of room first; what writes to it only sees its end. */
function noSpace(run: TaskRun, isServer: boolean): Error {
  const reason = isServer
    ? "backup write data failed: command error: write_data upload error: pipelined request failed: No space left on device (os error 28)"
    : "vma_queue_write: write error - Broken pipe";
  if (!isServer) run.log("zstd: error 70 : Write error : cannot write block : No space left on device ");
  run.log(`ERROR: ${reason}`);
  run.log("INFO: aborting backup job");
  return refusal(reason);
}
