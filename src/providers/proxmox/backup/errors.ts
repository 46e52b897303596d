import { defineError } from "../../../errors/index.ts";

const listHint = (label: string): string => `See what there is: slipway backup machines ${label}`;

export const backupStorageFull = defineError(
  "PVE_BACKUP_STORAGE_FULL",
  (f: { node: string; vmid: number; storage: string; cause: unknown }) => ({
    what: `Cannot back up machine ${f.vmid} of ${f.node}`,
    why: `storage "${f.storage}" has no room left for its backup; the machine was not changed`,
    next: `Remove old backups from "${f.storage}" or name another storage, then run the command again`,
    cause: f.cause,
  }),
);

export const archiveMissing = defineError(
  "PVE_BACKUP_MISSING",
  (f: { node: string; vmid: number; storage: string }) => ({
    what: `Cannot find the backup of machine ${f.vmid} of ${f.node}`,
    why: `the job ended well, but storage "${f.storage}" lists no new backup of it`,
    next: `Look at the backups on "${f.storage}" in the Proxmox web page, then run the command again`,
    transient: true,
  }),
);

export const noArchive = defineError("PVE_NO_BACKUP", (f: { label: string; hosts: string[] }) => ({
  what: `Cannot make ${f.label} again from a backup`,
  why: `no storage of ${f.hosts.join(", ")} holds a backup of it that the token may read`,
  next: `Make it anew: slipway replace ${f.label}`,
  else: "If Proxmox shows one, the token lacks VM.Backup on the machine or Datastore.AllocateSpace on the storage",
}));

export const archiveUnknown = defineError(
  "PVE_BACKUP_UNKNOWN",
  (f: { label: string; archive: string; hosts: string[] }) => ({
    what: `Cannot find backup "${f.archive}"`,
    why: `no storage of ${f.hosts.join(", ")} lists it, or the token may not read it`,
    next: listHint(f.label),
  }),
);

export const archiveForeign = defineError(
  "PVE_BACKUP_OF_ANOTHER",
  (f: { label: string; archive: string; owner: { cluster: string; node: string } | undefined }) => ({
    what: `Cannot make ${f.label} again from "${f.archive}"`,
    why: `the machine in it ${f.owner ? `is node "${f.owner.node}" of cluster "${f.owner.cluster}"` : "does not carry Slipway's mark"}`,
    next: listHint(f.label),
  }),
);
