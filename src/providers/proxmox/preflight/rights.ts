import { cardsOf, type Cluster, type ProxmoxHost, type Node } from "../../../spec/index.ts";
import { hasGuestAgent } from "../machine-want.ts";
import { originImage } from "../origin/index.ts";
import { diskStorages, needsImage } from "./storages.ts";

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
}

const machineRights = [
  "VM.Allocate",
  "VM.Audit",
  "VM.PowerMgmt",
  "VM.Config.CPU",
  "VM.Config.Disk",
  "VM.Config.HWType",
  "VM.Config.Memory",
  "VM.Config.Network",
  "VM.Config.Options",
];

/** What this cluster needs on this host: no right that nothing in the file asks for. */
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

function machineNeeds({ cluster, host, nodes, line }: RightsView): NeededRole[] {
  const { origin, snapshots } = cluster;
  const { pool } = host.proxmox;
  const isCloned = origin.kind === "template" || (origin.kind === "existing" && pool === undefined);
  const hasAgent = hasGuestAgent(cluster);
  const path = pool === undefined ? `/vms/${nodes[0]?.vmid ?? 100}` : `/pool/${pool}`;
  const rights = [
    ...machineRights,
    ...(origin.kind === "iso" ? ["VM.Config.CDROM"] : []),
    ...(isCloned ? ["VM.Clone"] : []),
    ...(snapshots ? ["VM.Snapshot"] : []),
    // The same right under the name each version has for it.
    ...(hasAgent ? [line === 8 ? "VM.Monitor" : "VM.GuestAgent.Audit"] : []),
    ...(pool === undefined ? [] : ["Pool.Audit"]),
  ];
  const machines = { role: "SlipwayMachines", path, grantAt: pool === undefined ? "/vms" : path, rights };
  if (origin.kind !== "existing" || pool === undefined) return [machines];
  const template = `/vms/${origin.vmid}`;
  return [
    machines,
    { role: "SlipwayTemplate", path: template, grantAt: template, rights: ["VM.Audit", "VM.Clone"] },
  ];
}

function storageNeeds({ cluster, host, nodes }: RightsView): NeededRole[] {
  const { storage } = host.proxmox;
  const placed = nodes.map(({ node, vmid = 0 }) => ({ node, host, vmid }));
  const disks = diskStorages({ cluster, host, placed });
  const { origin } = cluster;
  const sources = [
    ...(needsImage({ cluster }) ? [storage.images] : []),
    ...(origin.kind === "iso" && origin.volume === undefined ? [storage.isos] : []),
  ];
  const isoStorage = origin.kind === "iso" ? origin.volume?.split(":")[0] : undefined;
  return [
    ...disks.map((name) => storageNeed("SlipwayDisks", name, ["Datastore.AllocateSpace"])),
    ...sources.map((name) => ({
      ...storageNeed("SlipwayImages", name, [
        "Datastore.AllocateTemplate",
        "Datastore.Audit|Datastore.AllocateSpace",
      ]),
      wishes: {
        rights: ["Datastore.Allocate"],
        without: "images stay behind when nothing uses them any more",
      },
    })),
    ...(isoStorage === undefined
      ? []
      : [storageNeed("SlipwayIsos", isoStorage, ["Datastore.Audit|Datastore.AllocateSpace"])]),
  ];
}

const storageNeed = (role: string, storage: string, rights: string[]): NeededRole => ({
  role,
  path: `/storage/${storage}`,
  grantAt: `/storage/${storage}`,
  rights,
});

function nodeNeeds({ cluster, host }: RightsView): NeededRole[] {
  const path = `/nodes/${host.proxmox.node}`;
  const image = originImage(cluster);
  const isFetched = image !== undefined && image.local === undefined;
  const rights = ["Sys.Audit", ...(isFetched ? ["Sys.AccessNetwork"] : [])];
  return [{ role: "SlipwayNode", path, grantAt: path, rights }];
}

function networkNeeds({ cluster, nodes, zoneOf }: RightsView): NeededRole[] {
  const bridges = nodes.flatMap(({ node }) => cardsOf(cluster, node).map((card) => card.bridge));
  return [...new Set(bridges)].map((bridge) => {
    const path = `/sdn/zones/${zoneOf(bridge) ?? "localnetwork"}/${bridge}`;
    return { role: "SlipwayNetwork", path, grantAt: path, rights: ["SDN.Use"] };
  });
}

/** What Proxmox lets only those do who may change the whole cluster. */
function clusterNeeds({ cluster, nodes }: RightsView): NeededRole[] {
  const isOrdered = nodes.some(({ node: { hardware } }) => {
    const { order, delaySeconds } = hardware?.start ?? {};
    return order !== undefined || delaySeconds !== undefined;
  });
  const rights = [
    ...(cluster.isHighlyAvailable ? ["Sys.Audit", "Sys.Console"] : []),
    ...(isOrdered ? ["Sys.Modify"] : []),
  ];
  return rights.length === 0
    ? []
    : [{ role: "SlipwayCluster", path: "/", grantAt: "/", rights, isLocal: true }];
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

/** Who gets the rights. A token has at most those of its user. */
export interface Holder {
  user: string;
  token?: string;
}

export const holderOf = (tokenId: string): Required<Holder> => ({
  user: tokenId.split("!")[0] ?? tokenId,
  token: tokenId,
});

/** Each role with all it must hold, wherever it is granted. */
export function rolesOf(needs: NeededRole[]): Map<string, string[]> {
  const roles = new Map<string, Set<string>>();
  for (const { role, rights, wishes } of needs) {
    const held = roles.get(role) ?? new Set();
    for (const right of [...rights, ...(wishes?.rights ?? [])]) held.add(plain(right));
    roles.set(role, held);
  }
  return new Map([...roles].map(([role, rights]) => [role, [...rights].toSorted()]));
}

export const plain = (right: string): string => right.split("|")[0] ?? right;

/** Commands for a shell on any Proxmox node. `known` are the roles it has already. */
export function grantCommands(
  needs: NeededRole[],
  holder: Holder,
  known: ReadonlyMap<string, ReadonlySet<string>> = new Map(),
): string[] {
  const roles = [...rolesOf(needs)].flatMap(([role, rights]) => {
    const held = known.get(role);
    if (!held) return [`pveum role add ${role} --privs "${rights.join(" ")}"`];
    const lacking = rights.filter((right) => !held.has(right));
    return lacking.length === 0
      ? []
      : [`pveum role modify ${role} --append 1 --privs "${lacking.join(" ")}"`];
  });
  // Root has every right already; only its tokens are given some.
  const users = holder.user === "root@pam" ? "" : ` --users ${holder.user}`;
  const tokens = holder.token === undefined ? "" : ` --tokens '${holder.token}'`;
  const rules = [...new Map(needs.map((need) => [`${need.grantAt} ${need.role}`, need])).values()].map(
    ({ grantAt, role, isLocal }) =>
      `pveum acl modify ${grantAt}${users}${tokens} --roles ${role}${isLocal ? " --propagate 0" : ""}`,
  );
  return [...roles, ...rules];
}
