import { SlipwayError } from "../../errors/index.ts";

export const unreadableXml = (f: { thing: string; reason: string; cause?: unknown }): SlipwayError =>
  new SlipwayError({
    code: "LIBVIRT_UNREADABLE",
    what: `Cannot understand what libvirt says about ${f.thing}`,
    why: f.reason,
    next: "Report it with the version of libvirt on that host; nothing was changed",
    ...(f.cause !== undefined && { cause: f.cause }),
  });

export const foreignMachine = (f: {
  doing: string;
  name: string;
  host: string;
  owner?: { cluster: string; node: string };
}) =>
  new SlipwayError({
    code: "LIBVIRT_MACHINE_FOREIGN",
    what: `Cannot ${f.doing}`,
    why: f.owner
      ? `machine "${f.name}" on ${f.host} is node ${f.owner.node} of cluster ${f.owner.cluster}`
      : `machine "${f.name}" on ${f.host} was not made by Slipway`,
    next: "Give the node or the cluster another name, or remove that machine by hand if nobody needs it",
  });

export const foreignVolume = (f: { node: string; volume: string; pool: string; host: string }) =>
  new SlipwayError({
    code: "LIBVIRT_VOLUME_FOREIGN",
    what: `Cannot create machine ${f.node}`,
    why: `pool "${f.pool}" on ${f.host} already has a volume "${f.volume}", and no machine of Slipway's answers for it`,
    next: `Look what it is; if nobody needs it: virsh vol-delete ${f.volume} --pool ${f.pool}`,
  });

export const poolMissing = (f: { doing: string; pool: string; host: string }) =>
  new SlipwayError({
    code: "LIBVIRT_POOL_MISSING",
    what: `Cannot ${f.doing}`,
    why: `host "${f.host}" has no storage pool "${f.pool}" that is started`,
    next: `Start it with "virsh pool-start ${f.pool}", or write a path beside the pool's name in the cluster file, and it is made`,
  });

export const poolFull = (f: { volume: string; pool: string; reason: string; cause: unknown }) =>
  new SlipwayError({
    code: "LIBVIRT_POOL_FULL",
    what: `Cannot write volume "${f.volume}"`,
    why: `storage pool "${f.pool}" has no room left (${f.reason})`,
    next: `Free some of it ("virsh vol-list ${f.pool} --details") or name another pool, then run the same command again`,
    cause: f.cause,
  });

export const machineDenied = (f: {
  machine: string;
  path: string | undefined;
  reason: string;
  cause: unknown;
}) =>
  new SlipwayError({
    code: "LIBVIRT_MACHINE_DENIED",
    what: `Cannot start machine "${f.machine}"`,
    why: `QEMU may not open ${f.path ?? "one of its files"}: ${f.reason}`,
    next: "Keep the pool below /var/lib/libvirt/images, where AppArmor and SELinux let QEMU in, and see that every folder on the way can be entered by the user QEMU runs as",
    else: `What was refused stands in the host's journal: journalctl -k -g 'apparmor|avc'`,
    cause: f.cause,
  });

export const qemuDied = (f: { machine: string; lines: string; cause: unknown }) =>
  new SlipwayError({
    code: "LIBVIRT_QEMU_DIED",
    what: `Cannot start machine "${f.machine}"`,
    why: `QEMU ended at once; its last words: ${f.lines}`,
    next: `Look after what it says; all of it stands on the host in /var/log/libvirt/qemu/${f.machine}.log`,
    cause: f.cause,
  });

export const notPlugged = (f: { machine: string; device: string; reason: string; cause: unknown }) =>
  new SlipwayError({
    code: "LIBVIRT_NOT_PLUGGED",
    what: `Cannot plug ${f.device} into machine "${f.machine}" while it runs`,
    why: f.reason,
    next: /denied/i.test(f.reason)
      ? "Keep the pool below /var/lib/libvirt/images, where AppArmor and SELinux let QEMU in; the machine runs on as it was"
      : "Mend that on the host, or take the device out of the cluster file; the machine runs on as it was",
    cause: f.cause,
  });

export const waitsForRestart = (f: { node: string; reasons: string[] }) =>
  new SlipwayError({
    code: "LIBVIRT_WAITS_FOR_RESTART",
    what: `Cannot change machine "${f.node}" as wanted while it runs`,
    why: `${f.reasons.join("; ")}; the change waits for its next start, and the plan did not say that it restarts`,
    next: 'Run "slipway up" again: its plan says which machines restart, and asks',
  });

export const strangeDevices = (f: { node: string; devices: string[] }) =>
  new SlipwayError({
    code: "LIBVIRT_STRANGE_DEVICES",
    what: `Cannot change machine ${f.node}`,
    why: `it has what is not from the cluster file and would be lost: ${f.devices.join(", ")}`,
    next: "Take that out by hand (virsh edit), then run the same command again",
  });

export const shrinksDisk = (f: { node: string; fromGiB: number; toGiB: number }) =>
  new SlipwayError({
    code: "LIBVIRT_DISK_SHRINKS",
    what: `Cannot change machine ${f.node}`,
    why: `its system disk has ${f.fromGiB} GiB and the cluster file says ${f.toGiB} GiB; a disk only grows`,
    next: `Write at least ${f.fromGiB} GiB, or make the node anew`,
  });

export const machineVanished = (f: { node: string; host: string }) =>
  new SlipwayError({
    code: "LIBVIRT_MACHINE_VANISHED",
    what: `Cannot finish machine ${f.node}`,
    why: `it was on ${f.host} a moment ago, and somebody has removed it`,
    next: "Run the same command again: what is missing is made",
  });

export const diskFixed = (f: { volume: string; pool: string; cause: unknown }) =>
  new SlipwayError({
    code: "LIBVIRT_DISK_FIXED",
    what: `Cannot grow volume ${f.volume}`,
    why: `pool "${f.pool}" is made of block devices, and libvirt cannot grow those`,
    next: `Grow it on the host (LVM: lvextend --size 40G GROUP/${f.volume}), then run the same command again`,
    cause: f.cause,
  });

export const imageFormatUnfit = (f: { file: string; pool: string; host: string }) =>
  new SlipwayError({
    code: "LIBVIRT_IMAGE_UNFIT",
    what: `Cannot put image ${f.file} on ${f.host}`,
    why: `pool "${f.pool}" is made of block devices, which hold plain images only`,
    next: "Name a pool that is a folder, or an image of your own that is raw (image: file: … .raw)",
  });

export const imageSizeUnknown = (f: { file: string; pool: string }) =>
  new SlipwayError({
    code: "LIBVIRT_IMAGE_SIZE_UNKNOWN",
    what: `Cannot put image ${f.file} into pool "${f.pool}"`,
    why: "the pool needs to know its size beforehand, and the server does not say it",
    next: "Fetch and unpack the image, and name the file in the cluster file (image: file: …)",
  });

export const imageTakenOver = (f: { file: string; host: string; sent: number; found: number }) =>
  new SlipwayError({
    code: "LIBVIRT_IMAGE_TAKEN_OVER",
    what: `Cannot put image ${f.file} on ${f.host}`,
    why: `${f.sent} bytes were sent and ${f.found} are there: another run is sending the same image`,
    next: "Run the same command again: a complete image is used, whoever sent it",
    transient: true,
  });

export const imageNotFetched = (f: { file: string; url: string; reason: string; cause?: unknown }) =>
  new SlipwayError({
    code: "LIBVIRT_IMAGE_NOT_FETCHED",
    what: `Cannot fetch image ${f.file}`,
    why: `${f.url}: ${f.reason}`,
    next: `Try it by hand: curl -fLO ${f.url}; without a way to it, name a file (image: file: …)`,
    transient: true,
    ...(f.cause !== undefined && { cause: f.cause }),
  });

export const originUnsupported = (f: { cluster: string; kind: string }) =>
  new SlipwayError({
    code: "LIBVIRT_ORIGIN_UNSUPPORTED",
    what: `Cannot make the machines of cluster ${f.cluster}`,
    why: `on libvirt they are made from an image, and the cluster file asks for "${f.kind}"`,
    next: "Leave out where the machines come from; clones of the image share its blocks anyway",
  });

export const keptDiskElsewhere = (f: { cluster: string; node: string; on: string; wanted: string }) =>
  new SlipwayError({
    code: "LIBVIRT_KEPT_DISK_ELSEWHERE",
    what: `Cannot create machine ${f.node} on ${f.wanted}`,
    why: `its data disks were kept, and they are on ${f.on}`,
    next: `Place the node on ${f.on}, or give its data up: slipway down ${f.cluster} --with-data`,
  });

export const keptDiskLarger = (f: {
  cluster: string;
  node: string;
  number: number;
  keptGiB: number;
  wantedGiB: number;
}) =>
  new SlipwayError({
    code: "LIBVIRT_KEPT_DISK_LARGER",
    what: `Cannot create machine ${f.node}`,
    why: `its data disk ${f.number} was kept with ${f.keptGiB} GiB, the cluster file says ${f.wantedGiB} GiB; a disk only grows`,
    next: `Write ${f.keptGiB} GiB for the disk, or give its data up: slipway down ${f.cluster} --with-data`,
  });

export const networkForeign = (f: { host: string; network: string; owner?: string }): SlipwayError =>
  new SlipwayError({
    code: "LIBVIRT_NETWORK_FOREIGN",
    what: `Cannot make network "${f.network}" on "${f.host}"`,
    why: `there is one of that name already, ${f.owner === undefined ? "not made by Slipway" : `of cluster "${f.owner}"`}`,
    next: `Give the cluster another name, or use that network: libvirt: { network: ${f.network} }`,
    shared: f.host,
  });

export const subnetInUse = (f: {
  host: string;
  network: string;
  subnet: string;
  by: string;
  cause?: unknown;
}): SlipwayError =>
  new SlipwayError({
    code: "LIBVIRT_SUBNET_IN_USE",
    what: `Cannot start network "${f.network}" on "${f.host}"`,
    why: `${f.subnet} is already that of ${f.by}`,
    next: "Write another cidr for the cluster, for example 10.77.0.0/24",
    shared: f.host,
    ...(f.cause !== undefined && { cause: f.cause }),
  });

export const dnsmasqMissing = (f: { host: string; network: string; cause: unknown }): SlipwayError =>
  new SlipwayError({
    code: "LIBVIRT_DNSMASQ_MISSING",
    what: `Cannot start network "${f.network}" on "${f.host}"`,
    why: "libvirt finds no dnsmasq there, which serves DNS and DHCP in its networks",
    next: "Install it on the host: sudo apt install dnsmasq-base, or sudo dnf install dnsmasq",
    shared: f.host,
    cause: f.cause,
  });

export const networkInUse = (f: { host: string; network: string; machines: string[] }): SlipwayError =>
  new SlipwayError({
    code: "LIBVIRT_NETWORK_IN_USE",
    what: `Cannot stop network "${f.network}" on "${f.host}"`,
    why: `${f.machines.join(", ")} ${f.machines.length === 1 ? "runs" : "run"} in it and would be cut off`,
    next: `Shut down ${f.machines.length === 1 ? "that machine" : "these machines"} first, then run the same command again`,
    shared: f.host,
  });

export const poolElsewhere = (f: { host: string; pool: string; path: string; found: string }): SlipwayError =>
  new SlipwayError({
    code: "LIBVIRT_POOL_ELSEWHERE",
    what: `Cannot make storage pool "${f.pool}" on "${f.host}"`,
    why: `there is one of that name for ${f.found}, the file says ${f.path}`,
    next: `Write pool: ${f.pool} to use the one that is there, or give yours another name`,
    shared: `pool ${f.pool} of ${f.host}`,
  });

export const folderTaken = (f: { host: string; pool: string; path: string; cause: unknown }): SlipwayError =>
  new SlipwayError({
    code: "LIBVIRT_FOLDER_TAKEN",
    what: `Cannot make storage pool "${f.pool}" on "${f.host}"`,
    why: `another pool already stands for ${f.path}`,
    next: `Name that pool instead ("virsh pool-list --all" shows it), or choose another folder`,
    shared: `pool ${f.pool} of ${f.host}`,
    cause: f.cause,
  });

export const consoleBusy = (f: { cluster: string; node: string; host: string }) =>
  new SlipwayError({
    code: "LIBVIRT_CONSOLE_BUSY",
    what: `Cannot open the console of "${f.node}"`,
    why: `somebody on ${f.host} holds it: another "slipway console", "virsh console" or virt-manager`,
    next: "Leave it there with Ctrl-]",
    else: `Take it away: slipway console ${f.cluster}/${f.node} --force`,
  });
