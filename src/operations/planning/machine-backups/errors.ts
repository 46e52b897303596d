import { defineError } from "../../../errors/index.ts";
import type { RemovalBlocker } from "../../../plan/index.ts";

export const noMachineBackups = defineError("RUN_NO_MACHINE_BACKUPS", (blockers: RemovalBlocker[]) => ({
  what: `Cannot back up the machines of ${blockers.map(({ machine }) => machine.node).join(", ")}`,
  why: [...new Set(blockers.map(({ why }) => why))].join("; "),
  next: blockers[0]?.next ?? "",
  else: "Or do without: leave --backup-machines out, and machineBackups out of the cluster file",
}));

export const noArchivesHere = defineError("RUN_NOT_FROM_BACKUP", (f: { label: string; kind: string }) => ({
  what: `Cannot make ${f.label} again from a backup`,
  why: `its hosts are of the kind ${f.kind}, and Slipway backs up whole machines on Proxmox only`,
  next: `Make it anew, with its data disks kept: slipway replace ${f.label}`,
}));

export const controlPlaneFromBackup = defineError(
  "RUN_NOT_FROM_BACKUP",
  (f: { label: string; isAlone: boolean }) => ({
    what: `Cannot make ${f.label} again from a backup`,
    why: f.isAlone
      ? "etcd on it would come back as it was then, while its nodes have gone on; a backup of the cluster knows how to tell them"
      : "its etcd would come back as it was then, while the others have gone on: such a member breaks the database of all",
    next: f.isAlone
      ? "Bring the cluster back from a backup of it: slipway restore BACKUP"
      : `Make it anew; the others bring it up to date: slipway replace ${f.label}`,
  }),
);
