import { SlipwayError } from "../../../errors/index.ts";
import type { Host } from "../../../spec/index.ts";

const onHost = (host: Host) => ({ at: host.at, shared: host.name });

export const rightsMissing = (f: { host: Host; missing: string; commands: string[] }): SlipwayError =>
  new SlipwayError({
    code: "PVE_RIGHTS_MISSING",
    what: `Cannot work on "${f.host.name}" with token ${f.host.proxmox.token.id}`,
    why: `it lacks ${f.missing}`,
    next: `On a Proxmox node run: ${f.commands.join(" && ")}`,
    ...onHost(f.host),
  });

export const nodeMissing = (f: { host: Host; known: string[] }): SlipwayError =>
  new SlipwayError({
    code: "PVE_NODE_MISSING",
    what: `Cannot find Proxmox node "${f.host.proxmox.node}"`,
    why: `${f.host.proxmox.url} knows ${f.known.join(", ") || "no node"}`,
    next: `Write node: ${f.known[0] ?? "NAME"} for host "${f.host.name}"`,
    ...onHost(f.host),
  });

export const nodeOffline = (host: Host): SlipwayError =>
  new SlipwayError({
    code: "PVE_NODE_OFFLINE",
    what: `Cannot use Proxmox node "${host.proxmox.node}"`,
    why: `its Proxmox cluster says it is offline`,
    next: `Start the node, or take host "${host.name}" out of the cluster's "on"`,
    ...onHost(host),
  });

export const storageMissing = (f: { host: Host; storage: string; known: string[] }): SlipwayError =>
  new SlipwayError({
    code: "PVE_STORAGE_MISSING",
    what: `Cannot use storage "${f.storage}" on "${f.host.name}"`,
    why: `it does not exist there, is switched off, or the token may not see it; there are ${f.known.join(", ") || "none"}`,
    next: `Name an existing storage under storage: of host "${f.host.name}"`,
    ...onHost(f.host),
  });

export const storageContent = (f: {
  host: Host;
  storage: string;
  needs: string;
  content: string[];
}): SlipwayError =>
  new SlipwayError({
    code: "PVE_STORAGE_CONTENT",
    what: `Cannot put ${f.needs === "import" ? "disk images" : "disks"} on storage "${f.storage}" of "${f.host.name}"`,
    why: `it holds ${f.content.join(", ") || "nothing"}, not ${f.needs}`,
    next: `On the node run: pvesm set ${f.storage} --content ${[...f.content, f.needs].toSorted().join(",")}`,
    else: `Name another storage under storage: of host "${f.host.name}"`,
    ...onHost(f.host),
  });

export const bridgeMissing = (f: { host: Host; bridge: string; known: string[] }): SlipwayError =>
  new SlipwayError({
    code: "PVE_BRIDGE_MISSING",
    what: `Cannot connect machines to bridge "${f.bridge}" on "${f.host.name}"`,
    why: `the node has ${f.known.join(", ") || "no bridge the token may use"}`,
    next: `Write network.bridge: ${f.known[0] ?? "NAME"}, or create "${f.bridge}" on the node`,
    ...onHost(f.host),
  });

export const poolMissing = (f: { host: Host; pool: string }): SlipwayError =>
  new SlipwayError({
    code: "PVE_POOL_MISSING",
    what: `Cannot put machines into pool "${f.pool}"`,
    why: `it does not exist on "${f.host.name}", or the token may not see it`,
    next: `On the node run: pveum pool add ${f.pool}`,
    ...onHost(f.host),
  });

export const vmidsTaken = (f: {
  host: Host;
  taken: { node: string; vmid: number; by: string }[];
}): SlipwayError =>
  new SlipwayError({
    code: "PVE_VMID_TAKEN",
    what: `Cannot use ${f.taken.length === 1 ? "a VMID" : `${f.taken.length} VMIDs`} on "${f.host.name}"`,
    why: f.taken.map((each) => `${each.vmid} for ${each.node} is ${each.by}`).join("; "),
    next: `Give ${f.taken.map((each) => each.node).join(", ")} another vmid, or leave vmid out to have a free one chosen`,
    ...onHost(f.host),
  });

export const memoryShort = (f: {
  host: Host;
  neededMiB: number;
  freeMiB: number;
  totalMiB: number;
}): SlipwayError =>
  new SlipwayError({
    code: "PVE_MEMORY_SHORT",
    what: `Cannot fit the machines into the memory of "${f.host.name}"`,
    why: `they need ${gib(f.neededMiB)} more, ${gib(f.freeMiB)} of ${gib(f.totalMiB)} are free`,
    next: `Free ${gib(f.neededMiB - f.freeMiB)} on "${f.host.name}", give the nodes less memory, or add a host`,
    ...onHost(f.host),
  });

export const coresShort = (f: { host: Host; node: string; cores: number; hostCores: number }): SlipwayError =>
  new SlipwayError({
    code: "PVE_CORES_SHORT",
    what: `Cannot start machine "${f.node}" on "${f.host.name}"`,
    why: `it wants ${f.cores} cores, the host has ${f.hostCores}; Proxmox starts no machine with more cores than that`,
    next: `Write cores: ${f.hostCores} or fewer for "${f.node}"`,
    ...onHost(f.host),
  });

export const storageFull = (f: {
  host: Host;
  storage: string;
  neededGiB: number;
  freeGiB: number;
}): SlipwayError =>
  new SlipwayError({
    code: "PVE_STORAGE_FULL",
    what: `Cannot fit the machines onto storage "${f.storage}" of "${f.host.name}"`,
    why: `it has ${f.freeGiB} GiB free, ${f.neededGiB} GiB are needed`,
    next: `Free ${Math.ceil(f.neededGiB - f.freeGiB)} GiB on "${f.storage}" or name another storage`,
    ...onHost(f.host),
  });

export const haAlone = (host: Host): SlipwayError =>
  new SlipwayError({
    code: "PVE_HA_ALONE",
    what: `Cannot make machines on "${host.name}" highly available`,
    why: `${host.proxmox.url} is no Proxmox cluster: there is no other node to restart a machine on`,
    next: `Join the hosts to one Proxmox cluster ("pvecm add"), or take ha: true out of the cluster file`,
    ...onHost(host),
  });

export const haLocalDisks = (f: { host: Host; storages: string[] }): SlipwayError =>
  new SlipwayError({
    code: "PVE_HA_LOCAL_DISKS",
    what: `Cannot make machines on "${f.host.name}" highly available`,
    why: `their disks would lie on ${f.storages.map((name) => `"${name}"`).join(", ")}, which only "${f.host.name}" itself can reach`,
    next: `Name a shared storage (Ceph, NFS, iSCSI) under storage: { disks: … } of host "${f.host.name}", or take ha: true out`,
    ...onHost(f.host),
  });

export const gib = (memoryMiB: number): string => `${Math.round((memoryMiB / 1024) * 10) / 10} GiB`;
