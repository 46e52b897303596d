import { defineError } from "../../../errors/index.ts";
import type { Cluster, LibvirtHost, Node } from "../../../spec/index.ts";
import { coresPromisedText, memoryShortText } from "../../common/index.ts";

const onHost = (host: LibvirtHost) => ({ at: host.at, shared: host.name });

/** What machines are plugged into is named by their cluster or by NICs of a node, not by the host. */
interface Plugged {
  host: LibvirtHost;
  by: Node | Cluster;
}
const atNamer = ({ host, by }: Plugged) => ({ at: by.at, shared: host.name });

const listed = (names: string[]): string => names.join(", ") || "none";

export const libvirtTooOld = defineError(
  "LIBVIRT_TOO_OLD",
  (f: { host: LibvirtHost; needed: string; found: string }) => ({
    what: `Cannot use "${f.host.name}": its software is too old`,
    why: `it has ${f.found}; at least ${f.needed} is needed`,
    next: "Upgrade the host's system, or use another host",
    ...onHost(f.host),
  }),
);

export const architectureMissing = defineError(
  "LIBVIRT_ARCHITECTURE_MISSING",
  (f: { host: LibvirtHost; needed: string; known: string[] }) => ({
    what: `Cannot run machines of ${f.needed} on "${f.host.name}"`,
    why: `its QEMU runs ${listed(f.known)}`,
    next: `Install it on the host: sudo apt install ${f.needed === "aarch64" ? "qemu-system-arm" : "qemu-system-x86"}, then restart libvirtd`,
    ...onHost(f.host),
  }),
  [{ needed: "aarch64" }],
);

export const firmwareMissing = defineError(
  "LIBVIRT_FIRMWARE_MISSING",
  (f: { host: LibvirtHost; missing: string[]; arch: string }) => ({
    what: `Cannot give machines ${f.missing.join(" and ")} on "${f.host.name}"`,
    why: "libvirt finds none there",
    next: `Install it on the host: sudo apt install ${packagesFor(f.missing, f.arch)}, then restart libvirtd`,
    else: "Take firmware: uefi, secure boot and tpm out of the cluster file",
    ...onHost(f.host),
  }),
  [{ missing: ["TPM"] }],
);

const packagesFor = (missing: string[], arch: string): string =>
  [
    ...(missing.some((each) => each !== "TPM") ? [arch === "aarch64" ? "qemu-efi-aarch64" : "ovmf"] : []),
    ...(missing.includes("TPM") ? ["swtpm swtpm-tools"] : []),
  ].join(" ");

export const memoryShort = defineError("LIBVIRT_MEMORY_SHORT", memoryShortText);

export const coresPromised = defineError("LIBVIRT_CORES_PROMISED", coresPromisedText);

export const poolMissing = defineError(
  "LIBVIRT_NO_SUCH_POOL",
  (f: { host: LibvirtHost; pool: string; known: string[] }) => ({
    what: `Cannot put disks into storage pool "${f.pool}" of "${f.host.name}"`,
    why: `libvirt has ${listed(f.known)} there`,
    next: `Have it made: pool: { name: ${f.pool}, path: /var/lib/libvirt/${f.pool === "default" ? "images" : f.pool} }`,
    else: f.known.length > 0 ? `Name one that exists: pool: ${f.known[0]}` : undefined,
    ...onHost(f.host),
  }),
  [{ pool: "default", known: [] }],
);

export const poolKindUnfit = defineError(
  "LIBVIRT_POOL_UNFIT",
  (f: { host: LibvirtHost; pool: string; kind: string }) => ({
    what: `Cannot use storage pool "${f.pool}" of host "${f.host.name}"`,
    why: `it is of kind ${f.kind}, where libvirt cannot copy an image to a disk`,
    next: "Name a pool that is a folder (on ZFS too: pool: { path: /tank/slipway }) or a volume group of LVM",
    ...onHost(f.host),
  }),
);

export const poolStopped = defineError("LIBVIRT_POOL_STOPPED", (f: { host: LibvirtHost; pool: string }) => ({
  what: `Cannot put disks into storage pool "${f.pool}" of "${f.host.name}"`,
  why: "it is not started",
  next: `On the host run: virsh -c qemu:///system pool-start ${f.pool} && virsh -c qemu:///system pool-autostart ${f.pool}`,
  ...onHost(f.host),
}));

export const disksElsewhere = defineError(
  "LIBVIRT_DISK_ELSEWHERE",
  (f: { host: LibvirtHost; disks: { disk: string; pool: string; wanted: string }[] }) => ({
    what: `Cannot move disks between storage pools of "${f.host.name}"`,
    why: f.disks
      .map(({ disk, pool, wanted }) => `${disk} is in pool "${pool}", the file says "${wanted}"`)
      .join("; "),
    next: `Write the pool they are in at the host: libvirt: { pool: ${f.disks[0]?.pool ?? ""} }`,
    else: "Have the node created again there: take it out of the file, run slipway up, then write it again with the other pool",
    ...onHost(f.host),
  }),
);

export const poolSpaceShort = defineError(
  "LIBVIRT_SPACE_SHORT",
  (f: { host: LibvirtHost; pool: string; neededGiB: number; freeGiB: number }) => ({
    what: `Cannot fit the machines into storage pool "${f.pool}" of "${f.host.name}"`,
    why: `it has ${f.freeGiB} GiB free, ${f.neededGiB} GiB must fit`,
    next: `Free ${Math.ceil(f.neededGiB - f.freeGiB)} GiB there, name another pool, or give the nodes smaller disks`,
    ...onHost(f.host),
  }),
);

export const folderClosed = defineError(
  "LIBVIRT_FOLDER_CLOSED",
  (f: { host: LibvirtHost; folder: string; at: string; mode?: string }) => ({
    what: `Cannot keep disks in ${f.folder} of "${f.host.name}"`,
    why: `${f.at} ${f.mode === undefined ? "is a home folder" : `has mode ${f.mode}`}: QEMU runs as a user of its own, who cannot enter it`,
    next: "Choose a folder outside of homes: pool: { path: /var/lib/libvirt/slipway }",
    else: `Let others through: sudo chmod o+x ${f.at}`,
    ...onHost(f.host),
  }),
  [{ mode: undefined }],
);

export const interfaceMissing = defineError(
  "LIBVIRT_INTERFACE_MISSING",
  (f: Plugged & { kind: string; source: string; bridges: string[] }) => ({
    what: `Cannot connect machines to ${f.kind === "bridge" ? "bridge" : "NIC"} "${f.source}" on "${f.host.name}"`,
    why: `the host has no such interface; its bridges: ${listed(f.bridges)}`,
    next:
      f.kind === "bridge"
        ? `Make the bridge on the host, or have a network made: libvirt: { create: nat }`
        : `Write one that "ip link" shows on the host`,
    ...atNamer(f),
  }),
  [{ kind: "bridge" }],
);

export const notABridge = defineError(
  "LIBVIRT_NOT_A_BRIDGE",
  (f: Plugged & { source: string; bridges: string[] }) => ({
    what: `Cannot plug machines into "${f.source}" on "${f.host.name}"`,
    why: `it is a NIC, not a bridge; the host's bridges: ${listed(f.bridges)}`,
    next: `Share the NIC instead: libvirt: { macvtap: ${f.source} }, or make a bridge with it on the host`,
    ...atNamer(f),
  }),
);

export const networkMissing = defineError(
  "LIBVIRT_NETWORK_MISSING",
  (f: Plugged & { network: string; known: string[] }) => ({
    what: `Cannot connect machines to network "${f.network}" on "${f.host.name}"`,
    why: `libvirt has ${listed(f.known)} there`,
    next: `Have one made: libvirt: { create: nat }, or name one that "virsh net-list --all" shows`,
    ...atNamer(f),
  }),
);

export const networkStopped = defineError("LIBVIRT_NETWORK_STOPPED", (f: Plugged & { network: string }) => ({
  what: `Cannot connect machines to network "${f.network}" on "${f.host.name}"`,
  why: "it is not started",
  next: `On the host run: virsh -c qemu:///system net-start ${f.network} && virsh -c qemu:///system net-autostart ${f.network}`,
  ...atNamer(f),
}));

export const networkOtherCidr = defineError(
  "LIBVIRT_NETWORK_OTHER_CIDR",
  (f: Plugged & { network: string; found: string; wanted: string }) => ({
    what: `Cannot give nodes addresses of ${f.wanted} in network "${f.network}" on "${f.host.name}"`,
    why: `the network is ${f.found}`,
    next: `Write the cidr of "${f.network}" in the cluster file, or have a network made: libvirt: { create: nat }`,
    ...atNamer(f),
  }),
);

export const namesTaken = defineError(
  "LIBVIRT_NAME_TAKEN",
  (f: { host: LibvirtHost; taken: { node: string; name: string; by: string }[] }) => ({
    what: `Cannot use ${f.taken.length === 1 ? "a name" : `${f.taken.length} names`} on "${f.host.name}"`,
    why: f.taken.map(({ node, name, by }) => `${name} for ${node} is ${by}`).join("; "),
    next: "Give the cluster another name, or remove what has these names",
    ...onHost(f.host),
  }),
);
