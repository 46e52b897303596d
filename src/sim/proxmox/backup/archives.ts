import { refusal } from "../api-error.ts";
import type { CallContext } from "../call.ts";
import type { Cluster } from "../cluster.ts";
import type { ArchivedMachine, Volume } from "../state.ts";
import {
  backedUpIn,
  contentOf,
  findStorage,
  findVolume,
  splitVolumeId,
  volumeId,
  volumePath,
} from "../storage/volumes.ts";

/** Who may make a backup of a machine there may read one too. */
export function demandBackup(context: CallContext, volid: string): void {
  const { storage, name } = splitVolumeId(volid);
  const owner = backedUpIn(name);
  if (owner === undefined) throw refusal(`missing privileges to access ${volid}`);
  context.demand.all(`/storage/${storage}`, ["Datastore.AllocateSpace"]);
  context.demand.all(`/vms/${owner}`, ["VM.Backup"]);
}

/** The same for a machine that is to be made of it: its own backup is open to it. */
export function demandArchive(context: CallContext, vmid: number | undefined, volid: string): void {
  const { storage, name } = splitVolumeId(volid);
  const kind = contentOf(findStorage(context.cluster, storage), name);
  if (kind !== "backup") {
    throw refusal(`unable to use volume ${volid} - content type needs to be 'backup'`);
  }
  if (context.may.all(`/storage/${storage}`, ["Datastore.Allocate"])) return;
  if (vmid === undefined || backedUpIn(name) !== vmid) demandBackup(context, volid);
}

export function findArchive(
  cluster: Cluster,
  volid: string,
  node: string,
): Volume & { machine: ArchivedMachine } {
  const volume = findVolume(cluster, volid, node);
  if (!volume?.machine) throw refusal(`volume '${volid}' does not exist`);
  return { ...volume, machine: volume.machine };
}

export const isOnBackupServer = (cluster: Cluster, storage: string): boolean =>
  findStorage(cluster, storage).type === "pbs";

/** Where it lies, for texts. */
export const archivePath = (cluster: Cluster, archive: Volume): string =>
  isOnBackupServer(cluster, archive.storage)
    ? archive.name.slice("backup/".length)
    : volumePath(cluster, volumeId(archive));

export const localTime = (cluster: Cluster): string =>
  new Date(cluster.clock.now()).toISOString().slice(0, 19).replace("T", " ");
