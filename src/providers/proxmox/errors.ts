import { defineError } from "../../errors/index.ts";

export const foreignMachine = defineError(
  "PVE_FOREIGN_MACHINE",
  (f: { doing: string; vmid: number; node: string; owner: string }) => ({
    what: `Cannot ${f.doing}`,
    why: `VMID ${f.vmid} on ${f.node} is ${f.owner}; Slipway touches only machines that carry its mark`,
    next: `Give the node another vmid in the cluster file, or remove machine ${f.vmid} yourself`,
  }),
);

export const hiddenMachine = defineError("PVE_FOREIGN_MACHINE", (f: { doing: string; vmid: number }) => ({
  what: `Cannot ${f.doing}`,
  why: `VMID ${f.vmid} is taken by a machine or container this token may not see`,
  next: `Give the node another vmid in the cluster file`,
}));

export const stuckMachine = defineError(
  "PVE_STUCK_MACHINE",
  (f: { doing: string; vmid: number; node: string }) => ({
    what: `Cannot ${f.doing}`,
    why: `machine ${f.vmid} is locked as being created, but no task on ${f.node} works on it any more`,
    next: `On ${f.node} run "qm unlock ${f.vmid} && qm destroy ${f.vmid} --purge", then run "slipway up" again`,
  }),
);

export const imageMissing = defineError(
  "PVE_IMAGE_MISSING",
  (f: { file: string; storage: string; node: string }) => ({
    what: `Cannot find image "${f.file}" on ${f.node}`,
    why: `the transfer ended well, but storage "${f.storage}" does not list the file`,
    next: `Look at storage "${f.storage}" in the Proxmox web page: it must be active and hold "Import" content`,
    transient: true,
  }),
);

export const imageNotFetched = defineError(
  "PVE_IMAGE_NOT_FETCHED",
  (f: { file: string; node: string; url: string; reason: string; isFleeting: boolean }) => ({
    what: `Cannot download image "${f.file}" to ${f.node}`,
    why: `${f.node} tried to fetch ${f.url}; ${f.reason}`,
    next: `On ${f.node} try "wget --spider ${f.url}": the node itself needs the network, DNS and a proxy if you use one`,
    transient: f.isFleeting,
    shared: f.url,
  }),
);

export const shrinksDisk = defineError(
  "PVE_DISK_SHRINKS",
  (f: { node: string; fromGiB: number; toGiB: number }) => ({
    what: `Cannot shrink the system disk of machine "${f.node}"`,
    why: `it has ${f.fromGiB} GiB and the cluster file says ${f.toGiB} GiB; Proxmox can only grow a disk`,
    next: `Write disk: ${f.fromGiB}GiB in the cluster file, or replace the node`,
  }),
);

export const schematicNamedOtherwise = defineError(
  "FACTORY_OTHER_ID",
  (f: { factory: string; computed: string; said: string }) => ({
    what: `Cannot use schematic ${f.computed.slice(0, 12)} of ${f.factory}`,
    why: `the factory calls it ${f.said} and does not know the id computed here, ${f.computed}; a factory with accounts adds the owner to every schematic`,
    next: `Write image: { url: ${f.factory}/image/${f.said}/vVERSION/nocloud-ARCH.qcow2 } in the cluster file`,
  }),
);

export const diskStayed = defineError(
  "PVE_DISK_STAYED",
  (f: { node: string; vmid: number; slot: string }) => ({
    what: `Cannot keep a data disk of "${f.node}"`,
    why: `Proxmox says it moved ${f.slot} of machine ${f.vmid}, but the machine still has it`,
    next: "Nothing was removed; run the command again",
    transient: true,
  }),
);

export const keptDisksNumbersTaken = defineError(
  "PVE_NO_SHELF",
  (f: { cluster: string; node: string; from: number; to: number }) => ({
    what: `Cannot keep the data disks of "${f.cluster}" on ${f.node}`,
    why: `every VMID from ${f.from} to ${f.to} is taken`,
    next: `Free one of them, or give up the data: slipway down ${f.cluster} --with-data`,
  }),
);

export const lockedMachine = defineError(
  "PVE_MACHINE_LOCKED",
  (f: { node: string; vmid: number; on: string; lock: string }) => ({
    what: `Cannot remove machine "${f.node}"`,
    why: `machine ${f.vmid} is locked (${f.lock}), but no task on ${f.on} works on it any more`,
    next: `On ${f.on} run "qm unlock ${f.vmid}", then run the command again`,
  }),
);

export const protectedMachine = defineError(
  "PVE_MACHINE_PROTECTED",
  (f: { node: string; vmid: number; on: string }) => ({
    what: `Cannot remove machine "${f.node}"`,
    why: `somebody has set the protection of machine ${f.vmid} in Proxmox; the cluster file does not ask for it`,
    next: `If it may go, run "qm set ${f.vmid} --protection 0" on ${f.on}, then run the command again`,
  }),
);

export const keptDiskElsewhere = defineError(
  "PVE_KEPT_DISK_ELSEWHERE",
  (f: { cluster: string; node: string; on: string; wanted: string }) => ({
    what: `Cannot give "${f.node}" its data disks back`,
    why: `they were kept on ${f.on}, and the cluster file puts the node on ${f.wanted}; Proxmox gives disks away only within one node`,
    next: `Write on: ${f.on} for the node, or migrate the machine that keeps them to ${f.wanted} in Proxmox`,
    else: `Lose them: slipway down ${f.cluster} --with-data`,
  }),
);

export const keptDiskLarger = defineError(
  "PVE_KEPT_DISK_LARGER",
  (f: { cluster: string; node: string; index: number; keptGiB: number; wantedGiB: number }) => ({
    what: `Cannot give "${f.node}" its data disk ${f.index + 1} back`,
    why: `the disk that was kept has ${f.keptGiB} GiB, the cluster file says ${f.wantedGiB} GiB, and Proxmox can only grow a disk`,
    next: `Write size: ${f.keptGiB}GiB for it`,
    else: `Lose it with all others that were kept: slipway down ${f.cluster} --with-data`,
  }),
);

export const nicNotPlugged = defineError(
  "PVE_CARD_NOT_PLUGGED",
  (f: { node: string; fields: string[]; reason: string; cause: unknown }) => ({
    what: `Cannot change ${f.fields.join(", ")} of machine "${f.node}" while it runs`,
    why: `${f.reason}; the change was taken back, because with it the machine might not start again`,
    next: "Check that the bridge or vnet exists on the machine's node and is up, then run the command again",
    cause: f.cause,
  }),
);

export const waitsForRestart = defineError(
  "PVE_WAITS_FOR_RESTART",
  (f: { node: string; fields: string[] }) => ({
    what: `Cannot change ${f.fields.join(", ")} of machine "${f.node}" while it runs`,
    why: "Proxmox keeps the change for the machine's next start, and the plan did not say that it restarts",
    next: 'Run "slipway up" again: its plan says which machines restart, and asks',
  }),
);

export const changedMeanwhile = defineError(
  "PVE_CHANGED_MEANWHILE",
  (f: { vmid: number; cause: unknown }) => ({
    what: `Cannot change machine ${f.vmid}`,
    why: "somebody else changed it after it was read; their change was not overwritten",
    next: "Run the command again",
    cause: f.cause,
    transient: true,
  }),
);

export const machineGone = defineError("PVE_MACHINE_GONE", (f: { node: string; vmid: number }) => ({
  what: `Cannot change machine "${f.node}"`,
  why: `machine ${f.vmid} lost its mark while it was changed`,
  next: "Put the mark back into its notes in Proxmox, or give the node another vmid in the cluster file",
}));

export const foreignHa = defineError("PVE_FOREIGN_HA", (f: { name: string; cluster: string }) => ({
  what: `Cannot make "${f.cluster}" highly available`,
  why: `Proxmox has an HA rule or group "${f.name}" that Slipway did not make: its comment is not the one Slipway writes`,
  next: `Rename or remove "${f.name}" in Datacenter, HA, then run "slipway up" again`,
}));

export const diskHasSnapshots = defineError(
  "PVE_DISK_HAS_SNAPSHOTS",
  (f: { node: string; vmid: number; slot: string; storage: string; cause: unknown }) => ({
    what: `Cannot move ${f.slot} of machine "${f.node}" to storage "${f.storage}"`,
    why: `machine ${f.vmid} has snapshots, and Proxmox leaves the disk they belong to where it is`,
    next: `Remove the snapshots of machine ${f.vmid}, or write the storage it is on into the cluster file, then run the command again`,
    cause: f.cause,
  }),
);

export const foreignAccount = defineError(
  "PVE_FOREIGN_ACCOUNT",
  (f: { cluster: string; what: string; why: string }) => ({
    what: `Cannot make a Proxmox account for "${f.cluster}"`,
    why: `Proxmox has a ${f.what} that Slipway did not make: ${f.why}`,
    next: `Remove it in Datacenter, Permissions, or take cloudAccount: true out of the cluster file`,
  }),
);

export const notePlaceTaken = defineError(
  "PVE_LOCK_PLACE_TAKEN",
  (f: { cluster: string; vmid: number; name: string }) => ({
    what: `Cannot lock "${f.cluster}" on Proxmox`,
    why: `the lock needs VMID ${f.vmid}, and machine "${f.name}" has it`,
    next: `Give machine ${f.vmid} another VMID, or the cluster another name, then run the command again`,
  }),
);

export const diskUnclear = defineError(
  "PVE_DISK_UNCLEAR",
  (f: { node: string; vmid: number; missing: number; detached: { key: string; volume: string }[] }) => ({
    what: `Cannot tell which data disk of "${f.node}" is which`,
    why: `machine ${f.vmid} lacks ${f.missing === 1 ? "a data disk" : `${f.missing} data disks`} and has ${f.detached.map(({ key, volume }) => `${volume} detached as ${key}`).join(", ")}; a new disk would be empty`,
    next: `Attach the right one as scsi1, scsi2 … in the order of the file, in the Proxmox web page or with "qm set ${f.vmid} --scsi1 VOLUME"`,
  }),
  [{ missing: 1 }],
);

export const noNodeOnline = defineError("PVE_NO_NODE_ONLINE", (nodes: string[]) => ({
  what: "Cannot propose a file: no node of this Proxmox is online",
  why: nodes.length === 0 ? "it lists no nodes to this account" : `${nodes.join(", ")} are off`,
  next: "Switch a node on, or use an account that may see it (Sys.Audit), then run slipway init again",
}));

export const noStorageFor = defineError(
  "PVE_NO_STORAGE_FOR",
  (f: { content: string; label: string; seen: string[] }) => ({
    what: `Cannot propose a storage for "${f.content}"`,
    why: `no storage that all chosen nodes have holds it; there are ${f.seen.join(", ") || "none"}`,
    next: `In Proxmox tick "${f.label}" in Datacenter > Storage > Edit > Content, then run slipway init again`,
  }),
);

export const fingerprintOther = defineError(
  "PVE_FINGERPRINT_OTHER",
  (f: { url: string; found: string; given: string }) => ({
    what: `Cannot trust ${f.url}`,
    why: `its certificate is ${f.found}, the host shows ${f.given}: somebody else answers there`,
    next: "Check the address, then run slipway init again; nothing was sent there",
  }),
);

export const notAnswering = defineError("PVE_NOT_ANSWERING", (f: { url: string; cause: unknown }) => ({
  what: `Cannot reach ${f.url}`,
  why: "no connection with TLS could be made there",
  next: "Check address and port; the web page of Proxmox opens at the same one",
  cause: f.cause,
}));

export const tokenThere = defineError("PVE_TOKEN_THERE", (token: string) => ({
  what: `Cannot make the API token ${token}`,
  why: "it is there already, and Proxmox shows a secret once only",
  next: "Name another with --token-id, or put its secret into $PVE_TOKEN and run slipway init again",
}));
