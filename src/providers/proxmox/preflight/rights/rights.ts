import { nicsOf, hasGuests, type Cluster, type ProxmoxHost, type Node } from "../../../../spec/index.ts";
import { hasGuestAgent, readsConsole } from "../../machine/machine-want.ts";
import { bootSourceImage } from "../../image/describe-images.ts";
import { diskStorages, needsImage } from "../storage/storages.ts";
import { everyUse, type Uses } from "./rights-uses.ts";

export type ProxmoxLine = 8 | 9;

/** Privileges that are needed together on one path. Each role is named for what it is about. */
export interface NeededRole {
  role: string;
  /** Where it is asked for. */
  path: string;
  /** Where it is best granted. */
  grantAt: string;
  /** Each of them; `A|B` is satisfied by either. */
  rights: string[];
  /** Granted along, because a later run may use them; this one does not. */
  later?: string[];
  /** Without these all goes well, but something is left undone. */
  wishes?: { rights: string[]; without: string };
  /** Only on the path itself, not on what is below it. */
  isLocal?: true;
}

export interface RightsView {
  cluster: Cluster;
  host: ProxmoxHost;
  /** Those that come to the host, with their numbers as far as they are known. */
  nodes: { node: Node; vmid?: number }[];
  line: ProxmoxLine;
  /** The zone of a network that is not a bridge of the node itself. */
  zoneOf(bridge: string): string | undefined;
  /** What the run does. Left out: whatever the file may ever ask for. */
  uses?: Uses;
}

/** A right, whether the file may ever need it, and whether this run does: absent, it does whenever the file may. */
interface Row {
  right: string;
  isGranted: boolean;
  isUsed?: boolean;
}

/** What this cluster needs on this host: no right that no way of using the file asks for. */
export function checkedRights(view: RightsView): NeededRole[] {
  return [
    ...machineNeeds(view),
    ...storageNeeds(view),
    ...nodeNeeds(view),
    ...networkNeeds(view),
    ...clusterNeeds(view),
    ...accountNeeds(view),
  ];
}

/** Whatever the machines come from and are. */
export const machineRights = [
  "VM.Allocate", // create, clone, make a template, remove
  "VM.Audit",
  "VM.PowerMgmt",
  "VM.Config.CPU",
  "VM.Config.Disk", // boot order, growing, data disks
  "VM.Config.HWType",
  "VM.Config.Memory",
  "VM.Config.Network", // cards, and addresses in the seed
  "VM.Config.Options", // name, notes, tags, protection
  "VM.Config.CDROM",
  "VM.Config.Cloudinit",
  "VM.Snapshot", // also for `slipway snapshot`, which the file does not speak of
];

/**
 * On the machines. A new machine needs no right for the kinds of its drives, but every later change of a drive does:
 * clones get their seed that way, and so does a machine whose seed moves to another storage.
 */
function machineRows({ cluster, host, line, uses = everyUse }: RightsView): Row[] {
  const { bootSource } = cluster;
  const { pool } = host.proxmox;
  const isCloned = bootSource.kind === "template" || bootSource.kind === "existing";
  const setsSeed = uses.setsSeed || (isCloned && uses.makesMachines);
  const used: Record<string, boolean> = {
    "VM.Config.CDROM": setsSeed || bootSource.kind === "iso",
    // A new machine whose host keys were not read is told to make others.
    "VM.Config.Cloudinit": setsSeed || (hasGuests(cluster) && readsConsole(cluster) && uses.makesMachines),
    "VM.Snapshot": cluster.snapshots !== undefined,
  };
  return [
    ...machineRights.map((right) => ({ right, isGranted: true, isUsed: used[right] ?? true })),
    { right: "VM.Clone", isGranted: bootSource.kind === "template" || (isCloned && pool === undefined) },
    // Also for a machine that is made again from its backup.
    { right: "VM.Backup", isGranted: cluster.machineBackups !== undefined, isUsed: false },
    { right: "VM.Console", isGranted: readsConsole(cluster), isUsed: uses.makesMachines },
    // The same right under the name each version has for it.
    { right: line === 8 ? "VM.Monitor" : "VM.GuestAgent.Audit", isGranted: hasGuestAgent(cluster) },
    { right: "Pool.Audit", isGranted: pool !== undefined },
    // For `slipway evacuate` and `return`, which the file does not speak of; a host alone has nowhere to move to.
    { right: "VM.Migrate", isGranted: cluster.on.length > 1, isUsed: false },
  ];
}

/**
 * On the whole Proxmox cluster, and on nothing below it. Its options say who may give machines which tags; without
 * Sys.Audit they stay hidden, and a tag is refused when the machine is made.
 */
function clusterRows({ cluster, nodes, uses = everyUse }: RightsView): Row[] {
  const isOrdered = nodes.some(({ node: { hardware } }) => {
    const { order, delay } = hardware?.start ?? {};
    return order !== undefined || delay !== undefined;
  });
  const hasHa = cluster.isHighlyAvailable || uses.endsHa;
  return [
    { right: "Sys.Audit", isGranted: true, isUsed: hasHa },
    { right: "Sys.Console", isGranted: hasHa },
    { right: "Sys.Modify", isGranted: isOrdered },
  ];
}

function machineNeeds(view: RightsView): NeededRole[] {
  const { bootSource } = view.cluster;
  const { pool } = view.host.proxmox;
  const path = pool === undefined ? `/vms/${view.nodes[0]?.vmid ?? 100}` : `/pool/${pool}`;
  // Not on the number of each machine: Proxmox forgets those rules when the machine is removed.
  const grantAt = pool === undefined ? "/vms" : path;
  const machines = need({ role: "SlipwayMachines", path, grantAt }, machineRows(view));
  if (bootSource.kind !== "existing" || pool === undefined) return machines;
  const template = `/vms/${bootSource.vmid}`;
  const rights = ["VM.Audit", "VM.Clone"];
  return [...machines, { role: "SlipwayTemplate", path: template, grantAt: template, rights }];
}

function clusterNeeds(view: RightsView): NeededRole[] {
  return need({ role: "SlipwayCluster", path: "/", grantAt: "/", isLocal: true }, clusterRows(view));
}

function need(place: Omit<NeededRole, "rights">, rows: Row[]): NeededRole[] {
  const granted = rows.filter((row) => row.isGranted);
  const isUsed = (row: Row): boolean => row.isUsed ?? true;
  const rights = granted.filter(isUsed).map((row) => row.right);
  const later = granted.filter((row) => !isUsed(row)).map((row) => row.right);
  if (granted.length === 0) return [];
  return [{ ...place, rights, ...(later.length > 0 && { later }) }];
}

function storageNeeds({ cluster, host, nodes, uses = everyUse }: RightsView): NeededRole[] {
  const { storage } = host.proxmox;
  const placed = nodes.map(({ node, vmid = 0 }) => ({ node, host, vmid }));
  const disks = [...new Set([...diskStorages({ cluster, host, placed }), ...uses.destroysOn])];
  const { bootSource } = cluster;
  const sources = [
    ...(needsImage({ cluster }) ? [storage.images] : []),
    ...(bootSource.kind === "iso" && bootSource.volume === undefined ? [storage.isos] : []),
  ];
  const isoStorage = bootSource.kind === "iso" ? bootSource.volume?.split(":")[0] : undefined;
  return [
    ...disks.map((name) => storageNeed("SlipwayDisks", name, ["Datastore.AllocateSpace"])),
    // Proxmox lets everybody put a seed anywhere; that the storage takes one is only for us to see.
    ...(disks.includes(storage.cloudInit) ? [] : [readNeed("SlipwaySeeds", storage.cloudInit)]),
    ...sources.map((name) => ({
      ...readNeed("SlipwayImages", name, ["Datastore.AllocateTemplate"]),
      wishes: {
        rights: ["Datastore.Allocate"],
        without: "images stay behind when nothing uses them any more",
      },
    })),
    ...(isoStorage === undefined ? [] : [readNeed("SlipwayIsos", isoStorage)]),
    ...backupNeeds(cluster, disks),
  ];
}

/** What the file does not speak of is asked for when somebody does: see demandRights. */
function backupNeeds({ machineBackups }: Cluster, disks: string[]): NeededRole[] {
  if (machineBackups === undefined || disks.includes(machineBackups.storage)) return [];
  const { rights: _rights, ...place } = storageNeed("SlipwayBackups", machineBackups.storage, []);
  return need(place, [{ right: "Datastore.AllocateSpace", isGranted: true, isUsed: false }]);
}

export const storageNeed = (role: string, storage: string, rights: string[]): NeededRole => ({
  role,
  path: `/storage/${storage}`,
  grantAt: `/storage/${storage}`,
  rights,
});

const readNeed = (role: string, storage: string, more: string[] = []): NeededRole =>
  storageNeed(role, storage, [...more, "Datastore.Audit|Datastore.AllocateSpace"]);

function nodeNeeds({ cluster, host }: RightsView): NeededRole[] {
  const path = `/nodes/${host.proxmox.node}`;
  const image = bootSourceImage(cluster);
  const isFetched = image !== undefined && image.local === undefined;
  const rights = ["Sys.Audit", ...(isFetched ? ["Sys.AccessNetwork"] : [])];
  return [{ role: "SlipwayNode", path, grantAt: path, rights }];
}

function networkNeeds({ cluster, nodes, zoneOf, uses = everyUse }: RightsView): NeededRole[] {
  const bridges = nodes.flatMap(({ node }) => nicsOf(cluster, node).map((nic) => nic.bridge));
  return [...new Set([...bridges, ...uses.bridges])].map((bridge) => {
    const path = `/sdn/zones/${zoneOf(bridge) ?? "localnetwork"}/${bridge}`;
    return { role: "SlipwayNetwork", path, grantAt: path, rights: ["SDN.Use"] };
  });
}

/** To make an account for the cluster itself: its role, user, token, and what they may touch. */
const accountNeeds = ({ cluster }: RightsView): NeededRole[] =>
  cluster.hasCloudAccount
    ? [
        {
          role: "SlipwayAccounts",
          path: "/access",
          grantAt: "/access",
          rights: ["Realm.AllocateUser", "Sys.Modify", "User.Modify"],
        },
        { role: "SlipwayDelegate", path: "/", grantAt: "/", rights: ["Permissions.Modify"], isLocal: true },
      ]
    : [];
