import { defineError } from "../../../errors/index.ts";
import { suggest, type Cluster, type Node, type ProxmoxHost } from "../../../spec/index.ts";
import { coresPromisedText, memoryShortText } from "../../common/index.ts";

const onHost = (host: ProxmoxHost) => ({ at: host.at, shared: host.name });
/** A host has several storages, and each has its own troubles. Pools may name one too, and are then to be changed. */
const onStorage = (host: ProxmoxHost, storage: string, by?: Node) => ({
  at: by?.at ?? host.at,
  shared: `${storage} of ${host.name}`,
});
const storagePlace = (host: ProxmoxHost, by: Node | undefined): string =>
  by ? `storage: in ${by.pool}` : `storage: of host "${host.name}"`;

export const rightsMissing = defineError(
  "PVE_RIGHTS_MISSING",
  (f: {
    host: ProxmoxHost;
    missing: string;
    commands: string[];
    /** What the file asks for is not all of it: something is there that no file speaks of any more. */
    isByHand?: boolean;
  }) => {
    const byHand = `On a Proxmox node run: ${f.commands.join(" && ")}`;
    return {
      what: `Cannot work on "${f.host.name}" with token ${f.host.proxmox.token.id}`,
      why: `it lacks ${f.missing}`,
      next: f.isByHand ? byHand : `slipway proxmox grant ${f.host.name}`,
      else: f.isByHand ? undefined : byHand,
      ...onHost(f.host),
    };
  },
  [{ isByHand: false }],
);

export const tagsRefused = defineError(
  "PVE_TAGS_REFUSED",
  (f: {
    host: ProxmoxHost;
    mode: string;
    /** Kept for those who may change the datacenter. */
    reserved: string[];
    /** Not among those that may be chosen. */
    unknown: string[];
    allowed: string[];
  }) => {
    const list = [...new Set([...f.allowed, ...f.unknown])].join(";");
    const mode = f.mode === "none" ? "list" : f.mode;
    return {
      what: `Cannot tag machines on "${f.host.name}"`,
      why: [
        ...(f.unknown.length > 0
          ? [`the datacenter lets people set ${tagModes[f.mode] ?? f.mode}, not ${f.unknown.join(", ")}`]
          : []),
        ...(f.reserved.length > 0
          ? [`${f.reserved.join(", ")} are registered tags, which take Sys.Modify on /`]
          : []),
      ].join("; "),
      next:
        f.unknown.length > 0
          ? `On a Proxmox node run: pvesh set /cluster/options --user-tag-access 'user-allow=${mode},user-allow-list=${list}'`
          : `Take ${f.reserved.join(", ")} out of the registered tags (Datacenter, Options in the Proxmox web page)`,
      ...onHost(f.host),
    };
  },
  [{ unknown: [] }],
  [{ reserved: [] }],
);

const tagModes: Record<string, string> = {
  none: "no tags",
  list: "tags of a list",
  existing: "tags that machines have already",
};

export const consoleTooOld = defineError(
  "PVE_CONSOLE_TOO_OLD",
  (f: { host: string; version: string; kind: string; title: string; isGuest: boolean }) => ({
    what: `Cannot read the consoles of new nodes on "${f.host}"`,
    why: `Proxmox VE ${f.version} opens no console for an API token, and ${f.isGuest ? "the host keys of a new machine are" : `the fingerprint of a new ${f.title} node is`} read there`,
    next: "Bring the host to Proxmox VE 9.2 (pve8to9 checks what prevents it)",
    else: `If no other machines are in the network of the nodes: ${f.kind}: { firstContact: trust } (docs/guides/first-contact.md)`,
  }),
  [{ isGuest: false }],
);

function adviseNode(f: { host: ProxmoxHost; known: string[]; free: string[] }): string {
  const node = suggest(f.host.proxmox.node, f.free) ?? f.free[0];
  if (node !== undefined) return `Write node: ${node} for host "${f.host.name}"`;
  return f.known.length === 0
    ? `See with a browser whether ${f.host.proxmox.url} is Proxmox itself and not a proxy in front of it`
    : `Take host "${f.host.name}" out of the file: each of these nodes is another host there`;
}

export const nodeMissing = defineError(
  "PVE_NODE_MISSING",
  (f: {
    host: ProxmoxHost;
    known: string[];
    /** Of these, the nodes that no other host of the file is. */
    free: string[];
  }) => ({
    what: `Cannot find Proxmox node "${f.host.proxmox.node}"`,
    why: `${f.host.proxmox.url} knows ${f.known.join(", ") || "no node by name"}`,
    next: adviseNode(f),
    ...onHost(f.host),
  }),
  [{ free: [] }],
  [{ known: [], free: [] }],
);

export const nodeOffline = defineError("PVE_NODE_OFFLINE", (host: ProxmoxHost) => ({
  what: `Cannot use Proxmox node "${host.proxmox.node}"`,
  why: `its Proxmox cluster says it is offline`,
  next: `Start ${host.proxmox.node} again; what runs on other hosts goes on meanwhile`,
  ...onHost(host),
}));

export const storageMissing = defineError(
  "PVE_STORAGE_MISSING",
  (f: { host: ProxmoxHost; storage: string; known: string[]; by: Node | undefined }) => ({
    what: `Cannot use storage "${f.storage}" on "${f.host.name}"`,
    why: `it does not exist there, is switched off, or the token may not see it; there are ${f.known.join(", ") || "none"}`,
    next: `Name an existing storage under ${storagePlace(f.host, f.by)}`,
    ...onStorage(f.host, f.storage, f.by),
  }),
  [{ by: undefined }],
);

const contentText: Record<string, string> = { import: "disk images", iso: "ISOs", images: "disks" };

export const storageContent = defineError(
  "PVE_STORAGE_CONTENT",
  (f: { host: ProxmoxHost; storage: string; needs: string; content: string[]; by: Node | undefined }) => ({
    what: `Cannot put ${contentText[f.needs] ?? f.needs} on storage "${f.storage}" of "${f.host.name}"`,
    why: `it holds ${f.content.join(", ") || "nothing"}, not ${f.needs}`,
    next: `On the node run: pvesm set ${f.storage} --content ${[...f.content, f.needs].toSorted().join(",")}`,
    else: `Name another storage under ${storagePlace(f.host, f.by)}`,
    ...onStorage(f.host, f.storage, f.by),
  }),
  [{ by: undefined }],
);

export const bridgeMissing = defineError(
  "PVE_BRIDGE_MISSING",
  (f: { host: ProxmoxHost; bridge: string; known: string[]; by: Node | Cluster }) => ({
    what: `Cannot connect machines to bridge "${f.bridge}" on "${f.host.name}"`,
    why: `the node has ${f.known.join(", ") || "no bridge the token may use"}`,
    next: `Write network.bridge: ${f.known[0] ?? "NAME"}, or create "${f.bridge}" on the node`,
    at: f.by.at,
    shared: f.host.name,
  }),
  [{ known: [] }],
);

export const poolMissing = defineError("PVE_POOL_MISSING", (f: { host: ProxmoxHost; pool: string }) => ({
  what: `Cannot put machines into pool "${f.pool}"`,
  why: `it does not exist on "${f.host.name}", or the token may not see it`,
  next: `On the node run: pveum pool add ${f.pool}`,
  ...onHost(f.host),
}));

export const vmidsTaken = defineError(
  "PVE_VMID_TAKEN",
  (f: { host: ProxmoxHost; taken: { node: string; vmid: number; by: string }[] }) => ({
    what: `Cannot use ${f.taken.length === 1 ? "a VMID" : `${f.taken.length} VMIDs`} on "${f.host.name}"`,
    why: f.taken.map((each) => `${each.vmid} for ${each.node} is ${each.by}`).join("; "),
    next: `Give ${f.taken.map((each) => each.node).join(", ")} another vmid, or leave vmid out to have a free one chosen`,
    ...onHost(f.host),
  }),
  [{ taken: [{}] }],
);

export const memoryShort = defineError("PVE_MEMORY_SHORT", memoryShortText);

export const coresShort = defineError(
  "PVE_CORES_SHORT",
  (f: { host: ProxmoxHost; node: string; cores: number; hostCores: number }) => ({
    what: `Cannot start machine "${f.node}" on "${f.host.name}"`,
    why: `it wants ${f.cores} cores, the host has ${f.hostCores}; Proxmox starts no machine with more cores than that`,
    next: `Write cores: ${f.hostCores} or fewer for "${f.node}"`,
    ...onHost(f.host),
  }),
);

export const coresPromised = defineError("PVE_CORES_PROMISED", coresPromisedText);

export const storageFull = defineError(
  "PVE_STORAGE_FULL",
  (f: { host: ProxmoxHost; storage: string; neededGiB: number; freeGiB: number }) => ({
    what: `Cannot fit the machines onto storage "${f.storage}" of "${f.host.name}"`,
    why: `it has ${f.freeGiB} GiB free, ${f.neededGiB} GiB are needed`,
    next: `Free ${Math.ceil(f.neededGiB - f.freeGiB)} GiB on "${f.storage}" or name another storage`,
    ...onStorage(f.host, f.storage),
  }),
);

export const noQuorum = defineError(
  "PVE_QUORUM_LOST",
  (f: { host: ProxmoxHost; online: number; nodes: number; offline: string[] }) => ({
    what: `Cannot change anything on the Proxmox cluster of "${f.host.name}"`,
    why: `it has no quorum: ${f.online} of ${f.nodes} nodes are online, ${f.offline.join(", ") || "others"} not`,
    next: `Bring enough nodes back ("pvecm status" on the node shows the votes), then run the command again`,
    at: f.host.at,
    shared: f.host.proxmox.url,
  }),
);

export const clockWrong = defineError("PVE_CLOCK_WRONG", (f: { host: ProxmoxHost; found: string }) => ({
  what: `Cannot trust the clock of "${f.host.name}"`,
  why: `it is ${f.found}; certificates made here would not be valid there`,
  next: `Compare both with "date -u", then correct the one that is wrong: "chronyc makestep" on the node`,
  ...onHost(f.host),
}));

export const bridgeWithoutPort = defineError(
  "PVE_BRIDGE_WITHOUT_PORT",
  (f: { host: ProxmoxHost; bridge: string; tags: number[] }) => ({
    what: `Cannot tag machines on bridge "${f.bridge}" of "${f.host.name}"`,
    why: `VLAN ${f.tags.join(", ")} needs a bridge with a network port or one that is VLAN aware; this one is neither`,
    next: `Give "${f.bridge}" a port or make it VLAN aware (System, Network in the Proxmox web page)`,
    else: "Take vlan out of the cluster file, or name another bridge",
    ...onHost(f.host),
  }),
);

export const bridgeWithoutVlans = defineError(
  "PVE_BRIDGE_NOT_VLAN_AWARE",
  (f: { host: ProxmoxHost; bridge: string; tags: number[] }) => ({
    what: `Cannot let tagged frames through "${f.bridge}" of "${f.host.name}"`,
    why: `VLAN ${f.tags.join(", ")} passes only what is VLAN aware, and it is not`,
    next: `Make "${f.bridge}" VLAN aware (System, Network, or SDN for a vnet, in the Proxmox web page)`,
    else: "Take trunks out of the cluster file, or name another bridge",
    ...onHost(f.host),
  }),
);

export const isoMissing = defineError(
  "PVE_ISO_MISSING",
  (f: { host: ProxmoxHost; volume: string; known: string[] }) => ({
    what: `Cannot find ISO "${f.volume}" on "${f.host.name}"`,
    why: `its storage holds ${f.known.slice(0, 5).join(", ") || "no ISO"}`,
    next: `Upload it to "${f.host.name}", or write from: iso to have it brought there`,
    ...onHost(f.host),
  }),
  [{ known: [] }],
);

export const imageNotReachable = defineError(
  "PVE_IMAGE_NOT_REACHABLE",
  (f: { host: ProxmoxHost; url: string; reason: string }) => ({
    what: `Cannot fetch the image on "${f.host.name}"`,
    why: `its node tried ${f.url}: ${f.reason}`,
    next: `On the node try "wget --spider ${f.url}": it needs network, DNS and a proxy of its own if you use one`,
    else: `Bring the image from this computer: image: { file: PATH } in the cluster file`,
    ...onHost(f.host),
  }),
);

export const virtualizationOff = defineError("PVE_VIRTUALIZATION_OFF", (host: ProxmoxHost) => ({
  what: `Cannot run machines on "${host.name}"`,
  why: "its processor offers no virtualization",
  next: "Set VT-x or AMD-V to on in the firmware of the host; inside another hypervisor, allow nested virtualization",
  ...onHost(host),
}));

export const processorTypeUnknown = defineError(
  "PVE_PROCESSOR_UNFIT",
  (f: { host: ProxmoxHost; type: string; known: string[] }) => ({
    what: `Cannot give machines cpu: ${f.type} on "${f.host.name}"`,
    why: `it knows ${f.known.length} types, not this one`,
    next: "Take cpu out of the cluster file, or write one that Proxmox offers, such as host or x86-64-v3",
    ...onHost(f.host),
  }),
);

export const processorTooOld = defineError(
  "PVE_PROCESSOR_UNFIT",
  (f: {
    host: ProxmoxHost;
    type: string;
    model: string;
    missing: string[];
    /** A type that would do here. */
    fitting: string | undefined;
  }) => ({
    what: `Cannot give machines cpu: ${f.type} on "${f.host.name}"`,
    why: `its processor (${f.model}) lacks ${f.missing.join(", ")}`,
    next: f.fitting
      ? `Write cpu: ${f.fitting} under hardware: of the cluster, or place the machines elsewhere`
      : "Place the machines elsewhere: Talos needs x86-64-v2, which Intel has since 2009 and AMD since 2011",
    ...onHost(f.host),
  }),
  [{ fitting: undefined }],
);

export const haAlone = defineError("PVE_HA_ALONE", (host: ProxmoxHost) => ({
  what: `Cannot make machines on "${host.name}" highly available`,
  why: `${host.proxmox.url} is no Proxmox cluster: there is no other node to restart a machine on`,
  next: `Join the hosts to one Proxmox cluster ("pvecm add"), or take ha: true out of the cluster file`,
  ...onHost(host),
}));

export const haLocalDisks = defineError(
  "PVE_HA_LOCAL_DISKS",
  (f: { host: ProxmoxHost; storages: string[] }) => ({
    what: `Cannot make machines on "${f.host.name}" highly available`,
    why: `their disks would be on ${f.storages.map((name) => `"${name}"`).join(", ")}, which only "${f.host.name}" itself can reach`,
    next: `Name a shared storage (Ceph, NFS, iSCSI) under storage: { disks: … } of host "${f.host.name}", or take ha: true out`,
    ...onHost(f.host),
  }),
);
