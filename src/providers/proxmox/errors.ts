import { SlipwayError } from "../../errors/index.ts";

export const foreignMachine = (f: {
  doing: string;
  vmid: number;
  node: string;
  owner: string;
}): SlipwayError =>
  new SlipwayError({
    code: "PVE_FOREIGN_MACHINE",
    what: `Cannot ${f.doing}`,
    why: `VMID ${f.vmid} on ${f.node} is ${f.owner}; Slipway touches only machines that carry its mark`,
    next: `Give the node another vmid in the cluster file, or remove machine ${f.vmid} yourself`,
  });

export const hiddenMachine = (f: { doing: string; vmid: number }): SlipwayError =>
  new SlipwayError({
    code: "PVE_FOREIGN_MACHINE",
    what: `Cannot ${f.doing}`,
    why: `VMID ${f.vmid} is taken by a machine or container this token may not see`,
    next: `Give the node another vmid in the cluster file`,
  });

export const stuckMachine = (f: { doing: string; vmid: number; node: string }): SlipwayError =>
  new SlipwayError({
    code: "PVE_STUCK_MACHINE",
    what: `Cannot ${f.doing}`,
    why: `machine ${f.vmid} is locked as being created, but no task on ${f.node} works on it any more`,
    next: `On ${f.node} run "qm unlock ${f.vmid} && qm destroy ${f.vmid} --purge", then run "slipway up" again`,
  });

export const imageMissing = (f: { file: string; storage: string; node: string }): SlipwayError =>
  new SlipwayError({
    code: "PVE_IMAGE_MISSING",
    what: `Cannot find image "${f.file}" on ${f.node}`,
    why: `the transfer ended well, but storage "${f.storage}" does not list the file`,
    next: `Look at storage "${f.storage}" in the Proxmox web page: it must be active and hold "Import" content`,
    transient: true,
  });

export const imageNotFetched = (f: {
  file: string;
  node: string;
  url: string;
  reason: string;
  isFleeting: boolean;
}): SlipwayError =>
  new SlipwayError({
    code: "PVE_IMAGE_NOT_FETCHED",
    what: `Cannot download image "${f.file}" to ${f.node}`,
    why: `${f.node} tried to fetch ${f.url}; ${f.reason}`,
    next: `On ${f.node} try "wget --spider ${f.url}": the node itself needs the network, DNS and a proxy if you use one`,
    transient: f.isFleeting,
    shared: f.url,
  });

export const shrinksDisk = (f: { node: string; fromGiB: number; toGiB: number }): SlipwayError =>
  new SlipwayError({
    code: "PVE_DISK_SHRINKS",
    what: `Cannot shrink the system disk of machine "${f.node}"`,
    why: `it has ${f.fromGiB} GiB and the cluster file says ${f.toGiB} GiB; Proxmox can only grow a disk`,
    next: `Write disk: ${f.fromGiB}GiB in the cluster file, or replace the node`,
  });

export const schematicNamedOtherwise = (f: {
  factory: string;
  computed: string;
  said: string;
}): SlipwayError =>
  new SlipwayError({
    code: "FACTORY_OTHER_ID",
    what: `Cannot use schematic ${f.computed.slice(0, 12)} of ${f.factory}`,
    why: `the factory calls it ${f.said} and knows nothing under the id computed here, ${f.computed}; an edition with owners writes them into every schematic`,
    next: `Write image: { url: ${f.factory}/image/${f.said}/vVERSION/nocloud-ARCH.qcow2 } in the cluster file`,
  });

export const diskStayed = (f: { node: string; vmid: number; slot: string }): SlipwayError =>
  new SlipwayError({
    code: "PVE_DISK_STAYED",
    what: `Cannot set a data disk of "${f.node}" aside`,
    why: `Proxmox says it moved ${f.slot} of machine ${f.vmid}, but the machine still has it`,
    next: "Nothing was removed; run the command again",
    transient: true,
  });

export const shelfTaken = (f: { cluster: string; node: string; from: number; to: number }): SlipwayError =>
  new SlipwayError({
    code: "PVE_NO_SHELF",
    what: `Cannot make a place on ${f.node} for the data disks of "${f.cluster}"`,
    why: `every VMID from ${f.from} to ${f.to} is taken`,
    next: `Free one of them, or let the data go: slipway down ${f.cluster} --with-data`,
  });

export const lockedMachine = (f: { node: string; vmid: number; on: string; lock: string }): SlipwayError =>
  new SlipwayError({
    code: "PVE_MACHINE_LOCKED",
    what: `Cannot remove machine "${f.node}"`,
    why: `machine ${f.vmid} is locked (${f.lock}), but no task on ${f.on} works on it any more`,
    next: `On ${f.on} run "qm unlock ${f.vmid}", then run the command again`,
  });

export const protectedMachine = (f: { node: string; vmid: number; on: string }): SlipwayError =>
  new SlipwayError({
    code: "PVE_MACHINE_PROTECTED",
    what: `Cannot remove machine "${f.node}"`,
    why: `somebody has set the protection of machine ${f.vmid} in Proxmox; the cluster file never asked for it`,
    next: `If it may go, run "qm set ${f.vmid} --protection 0" on ${f.on}, then run the command again`,
  });

export const keptDiskElsewhere = (f: {
  cluster: string;
  node: string;
  on: string;
  wanted: string;
}): SlipwayError =>
  new SlipwayError({
    code: "PVE_KEPT_DISK_ELSEWHERE",
    what: `Cannot give "${f.node}" its data disks back`,
    why: `they were kept on ${f.on}, and the cluster file puts the node on ${f.wanted}; Proxmox gives disks away only within one node`,
    next: `Write on: ${f.on} for the node, or migrate the machine that keeps them to ${f.wanted} in Proxmox`,
    else: `Lose them: slipway down ${f.cluster} --with-data`,
  });

export const keptDiskLarger = (f: {
  cluster: string;
  node: string;
  index: number;
  keptGiB: number;
  wantedGiB: number;
}): SlipwayError =>
  new SlipwayError({
    code: "PVE_KEPT_DISK_LARGER",
    what: `Cannot give "${f.node}" its data disk ${f.index + 1} back`,
    why: `the disk that was kept has ${f.keptGiB} GiB, the cluster file says ${f.wantedGiB} GiB, and Proxmox can only grow a disk`,
    next: `Write size: ${f.keptGiB}GiB for it`,
    else: `Lose it with all others that were kept: slipway down ${f.cluster} --with-data`,
  });

export const cardNotPlugged = (f: {
  node: string;
  fields: string[];
  reason: string;
  cause: unknown;
}): SlipwayError =>
  new SlipwayError({
    code: "PVE_CARD_NOT_PLUGGED",
    what: `Cannot change ${f.fields.join(", ")} of machine "${f.node}" while it runs`,
    why: `${f.reason}; the change was taken back, because with it the machine might not start again`,
    next: "Check that the bridge or vnet exists on the machine's node and is up, then run the command again",
    cause: f.cause,
  });

export const waitsForRestart = (f: { node: string; fields: string[] }): SlipwayError =>
  new SlipwayError({
    code: "PVE_WAITS_FOR_RESTART",
    what: `Cannot change ${f.fields.join(", ")} of machine "${f.node}" while it runs`,
    why: "Proxmox keeps the change for the machine's next start, and the plan did not say that it restarts",
    next: 'Run "slipway up" again: its plan says which machines restart, and asks',
  });

export const changedMeanwhile = (f: { vmid: number; cause: unknown }): SlipwayError =>
  new SlipwayError({
    code: "PVE_CHANGED_MEANWHILE",
    what: `Cannot change machine ${f.vmid}`,
    why: "somebody else changed it after it was looked at; nothing of theirs was overwritten",
    next: "Run the command again",
    cause: f.cause,
    transient: true,
  });

export const machineGone = (f: { node: string; vmid: number }): SlipwayError =>
  new SlipwayError({
    code: "PVE_MACHINE_GONE",
    what: `Cannot change machine "${f.node}"`,
    why: `machine ${f.vmid} lost its mark while it was changed`,
    next: "Put the mark back into its notes in Proxmox, or give the node another vmid in the cluster file",
  });

export const foreignHa = (f: { name: string; cluster: string }): SlipwayError =>
  new SlipwayError({
    code: "PVE_FOREIGN_HA",
    what: `Cannot make "${f.cluster}" highly available`,
    why: `Proxmox has an HA rule or group "${f.name}" that Slipway did not make: its comment is another`,
    next: `Rename or remove "${f.name}" in Datacenter, HA, then run "slipway up" again`,
  });

export const diskHasSnapshots = (f: {
  node: string;
  vmid: number;
  slot: string;
  storage: string;
  cause: unknown;
}): SlipwayError =>
  new SlipwayError({
    code: "PVE_DISK_HAS_SNAPSHOTS",
    what: `Cannot move ${f.slot} of machine "${f.node}" to storage "${f.storage}"`,
    why: `machine ${f.vmid} has snapshots, and Proxmox leaves the disk they belong to where it is`,
    next: `Remove the snapshots of machine ${f.vmid}, or write the storage it is on into the cluster file, then run the command again`,
    cause: f.cause,
  });

export const foreignAccount = (f: { cluster: string; what: string; why: string }): SlipwayError =>
  new SlipwayError({
    code: "PVE_FOREIGN_ACCOUNT",
    what: `Cannot make a Proxmox account for "${f.cluster}"`,
    why: `Proxmox has a ${f.what} that Slipway did not make: ${f.why}`,
    next: `Remove it in Datacenter, Permissions, or take cloudAccount: true out of the cluster file`,
  });

export const notePlaceTaken = (f: { cluster: string; vmid: number; name: string }): SlipwayError =>
  new SlipwayError({
    code: "PVE_LOCK_PLACE_TAKEN",
    what: `Cannot say on Proxmox that "${f.cluster}" is being worked on`,
    why: `machine ${f.vmid}, whose number is meant for that, is "${f.name}"`,
    next: `Give machine ${f.vmid} another number, or the cluster another name, then run the command again`,
  });

export const diskUnclear = (f: {
  node: string;
  vmid: number;
  missing: number;
  detached: { key: string; volume: string }[];
}) =>
  new SlipwayError({
    code: "PVE_DISK_UNCLEAR",
    what: `Cannot tell which data disk of "${f.node}" is which`,
    why: `machine ${f.vmid} lacks ${f.missing === 1 ? "a data disk" : `${f.missing} data disks`} and has ${f.detached.map(({ key, volume }) => `${volume} detached as ${key}`).join(", ")}; a new disk would be empty`,
    next: `Attach the right one as scsi1, scsi2 … in the order of the file, in the Proxmox web page or with "qm set ${f.vmid} --scsi1 VOLUME"`,
  });
