import { defineError } from "../../errors/index.ts";

export const unreadableXml = defineError(
  "LIBVIRT_UNREADABLE",
  (f: { thing: string; reason: string; cause?: unknown }) => ({
    what: `Cannot understand what libvirt says about ${f.thing}`,
    why: f.reason,
    next: "Report it with the version of libvirt on that host; nothing was changed",
    cause: f.cause,
  }),
);

export const foreignMachine = defineError(
  "LIBVIRT_MACHINE_FOREIGN",
  (f: {
    doing: string;
    name: string;
    host: string;
    owner?: { cluster: string; node: string } | undefined;
  }) => ({
    what: `Cannot ${f.doing}`,
    why: f.owner
      ? `machine "${f.name}" on ${f.host} is node ${f.owner.node} of cluster ${f.owner.cluster}`
      : `machine "${f.name}" on ${f.host} was not made by Slipway`,
    next: "Give the node or the cluster another name, or remove that machine by hand if it is not needed",
  }),
  [{ owner: undefined }],
);

export const foreignVolume = defineError(
  "LIBVIRT_VOLUME_FOREIGN",
  (f: { node: string; volume: string; pool: string; host: string }) => ({
    what: `Cannot create machine ${f.node}`,
    why: `pool "${f.pool}" on ${f.host} already has a volume "${f.volume}", and it belongs to no machine of Slipway's`,
    next: `Check what it is; if it is not needed: virsh vol-delete ${f.volume} --pool ${f.pool}`,
  }),
);

export const poolMissing = defineError(
  "LIBVIRT_POOL_MISSING",
  (f: { doing: string; pool: string; host: string }) => ({
    what: `Cannot ${f.doing}`,
    why: `host "${f.host}" has no storage pool "${f.pool}" that is started`,
    next: `Start it with "virsh pool-start ${f.pool}", or write a path beside the pool's name in the cluster file, and it is made`,
  }),
);

export const poolFull = defineError(
  "LIBVIRT_POOL_FULL",
  (f: { volume: string; pool: string; reason: string; cause: unknown }) => ({
    what: `Cannot write volume "${f.volume}"`,
    why: `storage pool "${f.pool}" is full (${f.reason})`,
    next: `Free some of it ("virsh vol-list ${f.pool} --details") or name another pool, then run the same command again`,
    cause: f.cause,
  }),
);

export const machineDenied = defineError(
  "LIBVIRT_MACHINE_DENIED",
  (f: { machine: string; path: string | undefined; reason: string; cause: unknown }) => ({
    what: `Cannot start machine "${f.machine}"`,
    why: `QEMU may not open ${f.path ?? "one of its files"}: ${f.reason}`,
    next: "Keep the pool below /var/lib/libvirt/images, where AppArmor and SELinux let QEMU in, and see that every folder on the way can be entered by the user QEMU runs as",
    else: `The host's journal shows what was refused: journalctl -k -g 'apparmor|avc'`,
    cause: f.cause,
  }),
  [{ path: undefined }],
);

export const qemuDied = defineError(
  "LIBVIRT_QEMU_DIED",
  (f: { machine: string; lines: string; cause: unknown }) => ({
    what: `Cannot start machine "${f.machine}"`,
    why: `QEMU ended at once; its last output: ${f.lines}`,
    next: `Correct what it names; the whole log is on the host in /var/log/libvirt/qemu/${f.machine}.log`,
    cause: f.cause,
  }),
);

export const notPlugged = defineError(
  "LIBVIRT_NOT_PLUGGED",
  (f: { machine: string; device: string; reason: string; cause: unknown }) => ({
    what: `Cannot plug ${f.device} into machine "${f.machine}" while it runs`,
    why: f.reason,
    next: /denied/i.test(f.reason)
      ? "Keep the pool below /var/lib/libvirt/images, where AppArmor and SELinux let QEMU in; the machine keeps running as it was"
      : "Correct that on the host, or take the device out of the cluster file; the machine keeps running as it was",
    cause: f.cause,
  }),
  [{ reason: "permission denied" }],
);

export const waitsForRestart = defineError(
  "LIBVIRT_WAITS_FOR_RESTART",
  (f: { node: string; reasons: string[] }) => ({
    what: `Cannot change machine "${f.node}" as wanted while it runs`,
    why: `${f.reasons.join("; ")}; the change waits for its next start, and the plan did not say that it restarts`,
    next: 'Run "slipway up" again: its plan says which machines restart, and asks',
  }),
);

export const strangeDevices = defineError(
  "LIBVIRT_STRANGE_DEVICES",
  (f: { node: string; devices: string[] }) => ({
    what: `Cannot change machine ${f.node}`,
    why: `it has devices that are not in the cluster file and would be lost: ${f.devices.join(", ")}`,
    next: "Take that out by hand (virsh edit), then run the same command again",
  }),
);

export const shrinksDisk = defineError(
  "LIBVIRT_DISK_SHRINKS",
  (f: { node: string; fromGiB: number; toGiB: number }) => ({
    what: `Cannot change machine ${f.node}`,
    why: `its system disk has ${f.fromGiB} GiB and the cluster file says ${f.toGiB} GiB; a disk only grows`,
    next: `Write at least ${f.fromGiB} GiB, or replace the node`,
  }),
);

export const machineVanished = defineError(
  "LIBVIRT_MACHINE_VANISHED",
  (f: { node: string; host: string }) => ({
    what: `Cannot finish machine ${f.node}`,
    why: `it was on ${f.host} a moment ago, and somebody has removed it`,
    next: "Run the same command again: what is missing is made",
  }),
);

export const diskFixed = defineError(
  "LIBVIRT_DISK_FIXED",
  (f: { volume: string; pool: string; cause: unknown }) => ({
    what: `Cannot grow volume ${f.volume}`,
    why: `pool "${f.pool}" is made of block devices, and libvirt cannot grow those`,
    next: `Grow it on the host (LVM: lvextend --size 40G GROUP/${f.volume}), then run the same command again`,
    cause: f.cause,
  }),
);

export const imageFormatUnfit = defineError(
  "LIBVIRT_IMAGE_UNFIT",
  (f: { file: string; pool: string; host: string }) => ({
    what: `Cannot put image ${f.file} on ${f.host}`,
    why: `pool "${f.pool}" is made of block devices, which hold plain images only`,
    next: "Name a pool that is a folder, or an image of your own that is raw (image: file: … .raw)",
  }),
);

export const imageSizeUnknown = defineError(
  "LIBVIRT_IMAGE_SIZE_UNKNOWN",
  (f: { file: string; pool: string }) => ({
    what: `Cannot put image ${f.file} into pool "${f.pool}"`,
    why: "the pool needs to know its size beforehand, and the server does not say it",
    next: "Fetch and unpack the image, and name the file in the cluster file (image: file: …)",
  }),
);

export const imageTakenOver = defineError(
  "LIBVIRT_IMAGE_TAKEN_OVER",
  (f: { file: string; host: string; sent: number; found: number }) => ({
    what: `Cannot put image ${f.file} on ${f.host}`,
    why: `${f.sent} bytes were sent and ${f.found} are there: another run is sending the same image`,
    next: "Run the same command again: a complete image is used, no matter which run sent it",
    transient: true,
  }),
);

export const imageNotFetched = defineError(
  "LIBVIRT_IMAGE_NOT_FETCHED",
  (f: { file: string; url: string; reason: string; cause?: unknown }) => ({
    what: `Cannot fetch image ${f.file}`,
    why: `${f.url}: ${f.reason}`,
    next: `Try it by hand: curl -fLO ${f.url}; if it cannot be reached, name a file (image: file: …)`,
    transient: true,
    cause: f.cause,
  }),
);

export const bootSourceUnsupported = defineError(
  "LIBVIRT_ORIGIN_UNSUPPORTED",
  (f: { cluster: string; kind: string }) => ({
    what: `Cannot make the machines of cluster ${f.cluster}`,
    why: `on libvirt they are made from an image, and the cluster file asks for "${f.kind}"`,
    next: "Leave out where the machines come from; clones of the image share its blocks anyway",
  }),
);

export const keptDiskElsewhere = defineError(
  "LIBVIRT_KEPT_DISK_ELSEWHERE",
  (f: { cluster: string; node: string; on: string; wanted: string }) => ({
    what: `Cannot create machine ${f.node} on ${f.wanted}`,
    why: `its data disks were kept, and they are on ${f.on}`,
    next: `Place the node on ${f.on}, or give its data up: slipway down ${f.cluster} --with-data`,
  }),
);

export const keptDiskLarger = defineError(
  "LIBVIRT_KEPT_DISK_LARGER",
  (f: { cluster: string; node: string; index: number; keptGiB: number; wantedGiB: number }) => ({
    what: `Cannot create machine ${f.node}`,
    why: `its data disk ${f.index + 1} was kept with ${f.keptGiB} GiB, the cluster file says ${f.wantedGiB} GiB; a disk only grows`,
    next: `Write ${f.keptGiB} GiB for the disk, or give its data up: slipway down ${f.cluster} --with-data`,
  }),
);

export const networkForeign = defineError(
  "LIBVIRT_NETWORK_FOREIGN",
  (f: { host: string; network: string; owner?: string | undefined }) => ({
    what: `Cannot make network "${f.network}" on "${f.host}"`,
    why: `there is one of that name already, ${f.owner === undefined ? "not made by Slipway" : `of cluster "${f.owner}"`}`,
    next: `Give the cluster another name, or use that network: libvirt: { network: ${f.network} }`,
    shared: f.host,
  }),
  [{ owner: undefined }],
);

export const subnetInUse = defineError(
  "LIBVIRT_SUBNET_IN_USE",
  (f: { host: string; network: string; subnet: string; by: string; cause?: unknown }) => ({
    what: `Cannot start network "${f.network}" on "${f.host}"`,
    why: `${f.subnet} is already that of ${f.by}`,
    next: "Write another cidr for the cluster, for example 10.77.0.0/24",
    shared: f.host,
    cause: f.cause,
  }),
);

export const dnsmasqMissing = defineError(
  "LIBVIRT_DNSMASQ_MISSING",
  (f: { host: string; network: string; cause: unknown }) => ({
    what: `Cannot start network "${f.network}" on "${f.host}"`,
    why: "libvirt finds no dnsmasq there, which serves DNS and DHCP in its networks",
    next: "Install it on the host: sudo apt install dnsmasq-base, or sudo dnf install dnsmasq",
    shared: f.host,
    cause: f.cause,
  }),
);

export const networkInUse = defineError(
  "LIBVIRT_NETWORK_IN_USE",
  (f: { host: string; network: string; machines: string[] }) => ({
    what: `Cannot stop network "${f.network}" on "${f.host}"`,
    why: `${f.machines.join(", ")} ${f.machines.length === 1 ? "runs" : "run"} in it and would be cut off`,
    next: `Shut down ${f.machines.length === 1 ? "that machine" : "these machines"} first, then run the same command again`,
    shared: f.host,
  }),
  [{ machines: ["<machine>"] }],
);

export const poolElsewhere = defineError(
  "LIBVIRT_POOL_ELSEWHERE",
  (f: { host: string; pool: string; path: string; found: string }) => ({
    what: `Cannot make storage pool "${f.pool}" on "${f.host}"`,
    why: `there is one of that name for ${f.found}, the file says ${f.path}`,
    next: `Write pool: ${f.pool} to use the one that is there, or give yours another name`,
    shared: `pool ${f.pool} of ${f.host}`,
  }),
);

export const folderTaken = defineError(
  "LIBVIRT_FOLDER_TAKEN",
  (f: { host: string; pool: string; path: string; cause: unknown }) => ({
    what: `Cannot make storage pool "${f.pool}" on "${f.host}"`,
    why: `another pool already uses ${f.path}`,
    next: `Name that pool instead ("virsh pool-list --all" shows it), or choose another folder`,
    shared: `pool ${f.pool} of ${f.host}`,
    cause: f.cause,
  }),
);

export const consoleBusy = defineError(
  "LIBVIRT_CONSOLE_BUSY",
  (f: { cluster: string; node: string; host: string }) => ({
    what: `Cannot open the console of "${f.node}"`,
    why: `somebody on ${f.host} holds it: another "slipway console", "virsh console" or virt-manager`,
    next: "Leave it there with Ctrl-]",
    else: `Take it away: slipway console ${f.cluster}/${f.node} --force`,
  }),
);
