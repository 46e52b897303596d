import { SlipwayError } from "../../../errors/index.ts";
import type { Guest, MachineSummary, NodeInfo, ProxmoxClient } from "../../../clients/proxmox/index.ts";
import type { AwayMachine, HostFacts, OwnedMachine, ReadContext, Survey } from "../../../plan/index.ts";
import type { ProxmoxHost } from "../../../spec/index.ts";
import { groupByServer, type HostRegistry } from "../host-registry.ts";
import { detachedData } from "../disks/detached-disks.ts";
import { readMachine } from "../machine/machine-config.ts";
import type { MachineHave, FoundDisk } from "../machine/machine-want.ts";
import { slotNumber } from "../disks/machine-disks.ts";
import { mayBeOurs, taggedCluster } from "../mark.ts";
import { isNodeUnreachable, unreachableFor, unreachableNodes, unlessUnreachable } from "./unreachable.ts";
import {
  disksKeptIn,
  keptDisksHolder,
  keptDisksMachinesOn,
  keptDisksMachinesOnce,
} from "./survey-kept-disks.ts";
import type { KeptDisksMachine } from "../disks/kept-disks-mark.ts";
import { keptDisks } from "../disks/keep-disks.ts";
import { inspectHost } from "./survey-host.ts";
import { machineKey, ownSurvey, type HostSeen, type ProxmoxSeen } from "./own-survey.ts";
import { templatesOn, templatesOnce } from "./survey-templates.ts";
import { waitUntilMade } from "./wait-until-made.ts";

/**
 * One look at all hosts; those of one Proxmox cluster are asked once, everything side by side. `accounts` are the clusters
 * whose account is kept in a file here.
 */
export async function surveyHosts(
  ctx: ReadContext,
  registry: HostRegistry,
  hosts: ProxmoxHost[],
  accounts: string[],
): Promise<Survey> {
  const parts = await Promise.all(
    groupByServer(hosts).map(async (group) => {
      const asked = await unlessUnreachable(ctx, group, () => surveyServer(ctx, registry, group));
      return Array.isArray(asked) ? { ...nothingSeen, unreachable: asked } : asked;
    }),
  );
  const once = <T>(of: (part: Part) => T[], fold: (all: T[]) => T[]): T[] =>
    byRealm(parts).flatMap((own) => fold(own.flatMap(of)));
  const found = once(
    (part) => part.machines,
    (all) => eachOnce(all, registry),
  );
  const keptDisksMachines = once((part) => part.keptDisksMachines, keptDisksMachinesOnce);
  const facts = new Map(parts.flatMap((part) => part.facts.map((each) => [each.host, each])));
  return {
    machines: found.map(owned),
    images: parts.flatMap((part) => part.images),
    keptDisks: keptDisksMachines.flatMap(disksKeptIn),
    keptDisksHolders: keptDisksMachines.map(keptDisksHolder),
    unreachable: parts.flatMap((part) => part.unreachable),
    away: parts.flatMap((part) => part.away),
    places: parts.flatMap((part) => part.places),
    hosts: hosts.flatMap((host) => facts.get(host.name) ?? []),
    own: ownSurvey({
      atMs: ctx.clock.now(),
      machines: Object.fromEntries(found.map((have) => [machineKey(have.host, have.vmid), have])),
      templates: once(
        (part) => part.templates,
        (all) => templatesOnce(all, registry),
      ),
      taken: Object.assign({}, ...parts.map(({ taken }) => taken)) as ProxmoxSeen["taken"],
      hosts: Object.fromEntries(parts.flatMap((part) => part.seen)),
      accounts,
    }),
  };
}

type Part = Pick<Survey, "images" | "unreachable"> &
  Pick<ProxmoxSeen, "templates" | "taken"> & {
    /** The Proxmox cluster it tells of; empty where it is not known. */
    realm: string;
    machines: Surveyed[];
    keptDisksMachines: KeptDisksMachine[];
    facts: HostFacts[];
    /** Per name of a host. */
    seen: (readonly [string, HostSeen])[];
    away: AwayMachine[];
    places: string[];
  };

const nothingSeen: Part = {
  realm: "",
  templates: [],
  machines: [],
  keptDisksMachines: [],
  taken: {},
  images: [],
  facts: [],
  seen: [],
  unreachable: [],
  away: [],
  places: [],
};

async function surveyServer(ctx: ReadContext, registry: HostRegistry, group: ProxmoxHost[]): Promise<Part> {
  const [first] = group;
  if (!first) return nothingSeen;
  const client = await registry.client(first.name);
  const [guests, nodes] = await Promise.all([client.guests(ctx.signal), client.nodes(ctx.signal)]);
  const online = nodes.filter((node) => node.isOnline).map((node) => node.node);
  const reachable = group.filter((host) => online.includes(host.proxmox.node));
  const [lists, looks] = await Promise.all([
    Promise.all(online.map((node) => machinesOrUnreachable(ctx, client, node, group))),
    Promise.all(reachable.map((host) => inspectHost(ctx, client, host))),
  ]);
  const heard = lists.filter(({ isHeard }) => isHeard).map(({ node }) => node);
  const managed = new Set(guests.filter((guest) => guest.isHaManaged).map((guest) => guest.vmid));
  const promises = new Map(lists.map((list) => [list.node, list.promised]));
  // The list of the whole cluster also knows containers and nodes that are off; the nodes' own lists are fresher.
  const vmids = [...new Set([...guests.map((guest) => guest.vmid), ...lists.flatMap((list) => list.vmids)])];
  const realm = realmOf(nodes);
  return {
    realm,
    machines: lists
      .flatMap((list) => list.ours)
      .map((have): Surveyed => (managed.has(have.vmid) ? { ...have, isHaManaged: true } : have)),
    keptDisksMachines: lists.flatMap((list) => list.keptDisksMachines),
    templates: lists.flatMap((list) => list.templates),
    taken: Object.fromEntries(group.map((host) => [host.name, vmids])),
    unreachable: [...unreachableNodes(group, nodes), ...lists.flatMap((list) => list.unreachable)],
    away: guests.filter(({ node }) => !heard.includes(node)).flatMap(awayMachine),
    places: heard,
    images: looks.flatMap((look) => look.images),
    seen: looks.flatMap(({ host, seen }) => (seen ? [[host.name, seen] as const] : [])),
    facts: looks.flatMap(({ host, facts }) => {
      if (!facts) return [];
      const promised = promises.get(host.proxmox.node) ?? nothingPromised;
      return [{ ...facts, realm: realm || first.proxmox.url, ...promised }];
    }),
  };
}

/** Its Proxmox cluster knows number and tags of a machine whose node is off, rarely its name. */
function awayMachine({ tags, name, node, vmid }: Guest): AwayMachine[] {
  const cluster = taggedCluster(tags);
  return cluster === undefined ? [] : [{ cluster, name, on: node, id: vmid }];
}

/** The first certificate speaks for all: every node of a Proxmox cluster lists the same ones. */
const realmOf = (nodes: NodeInfo[]): string =>
  nodes
    .map((node) => node.fingerprint)
    .filter((print) => print !== "")
    .toSorted()[0] ?? "";

/** Hosts on their own may have the same name and use the same numbers, so only neighbours show the same thing twice. */
const byRealm = (parts: Part[]): Part[][] =>
  [...new Set(parts.map(({ realm }) => realm))].map((realm) => parts.filter((part) => part.realm === realm));

/** A machine of ours, whether Proxmox keeps it running by itself, and a data disk that was detached from it. */
type Surveyed = MachineHave & { isHaManaged?: true; detached?: FoundDisk };

/** Proxmox tells no size of a volume that no slot holds; its storage does. */
async function withDetached(ctx: ReadContext, client: ProxmoxClient, have: MachineHave): Promise<Surveyed> {
  const found = detachedData(have);
  if (!found) return have;
  const storage = found.volume.split(":")[0] ?? "";
  const volumes = await client.storageContent(have.on, storage, "images", ctx.signal);
  const bytes = volumes.find(({ volume }) => volume === found.volume)?.sizeBytes ?? 0;
  const { slot, volume } = found;
  return { ...have, detached: { slot, volume, storage, sizeGiB: bytes / 1024 ** 3 } };
}

/** A Proxmox cluster reached under several URLs shows each machine under each; the host it is on speaks for it. */
function eachOnce(machines: Surveyed[], registry: HostRegistry): Surveyed[] {
  const isAtHome = (have: MachineHave): boolean => registry.host(have.host).proxmox.node === have.on;
  const known = new Map<string, Surveyed>();
  for (const have of machines) {
    const key = `${have.cluster}/${have.node}/${have.vmid}/${have.on}`;
    if (!known.has(key) || isAtHome(have)) known.set(key, have);
  }
  return [...known.values()];
}

/** A node may fall silent while its neighbours still call it online. */
async function machinesOrUnreachable(
  ctx: ReadContext,
  client: ProxmoxClient,
  node: string,
  group: ProxmoxHost[],
) {
  const hosts = group.filter((host) => host.proxmox.node === node);
  try {
    return { ...(await machinesOn(ctx, client, node, group)), isHeard: true, unreachable: [] };
  } catch (thrown) {
    if (!isNodeUnreachable(thrown)) throw thrown;
    ctx.log("warn", `${node}: ${thrown.message}`);
    return {
      node,
      vmids: [],
      ours: [],
      keptDisksMachines: [],
      templates: [],
      promised: nothingPromised,
      isHeard: false,
      unreachable: unreachableFor(hosts, thrown),
    };
  }
}

async function machinesOn(ctx: ReadContext, client: ProxmoxClient, node: string, group: ProxmoxHost[]) {
  const all = await client.machines(node, ctx.signal);
  const host = group.find((each) => each.proxmox.node === node) ?? group[0];
  const candidates = all.filter((machine) => !machine.isTemplate && mayBeOurs(machine.tags));
  const place = { host: host?.name ?? node, on: node };
  const [haves, keptDisksMachines, templates] = await Promise.all([
    Promise.all(candidates.map((machine) => readOwned(ctx, client, node, machine, place.host))),
    keptDisksMachinesOn(ctx, client, place, all),
    templatesOn(ctx, client, place, all),
  ]);
  const ours = haves.flatMap((have) => have ?? []);
  return {
    node,
    vmids: all.map((machine) => machine.vmid),
    ours,
    keptDisksMachines,
    templates,
    promised: promisedTo(all, ours),
  };
}

const nothingPromised = { memoryPromisedMiB: 0, coresPromised: 0 };

/** A machine that is not ours and off may stay off; ours is meant to run. */
function promisedTo(all: MachineSummary[], ours: MachineHave[]): typeof nothingPromised {
  const own = new Set(ours.map((have) => have.vmid));
  const counted = all.filter(
    (machine) => !machine.isTemplate && (machine.isRunning || own.has(machine.vmid)),
  );
  return {
    memoryPromisedMiB: counted.reduce((sum, machine) => sum + machine.memoryMiB, 0),
    coresPromised: counted.reduce((sum, machine) => sum + machine.cores, 0),
  };
}

async function readOwned(
  ctx: ReadContext,
  client: ProxmoxClient,
  node: string,
  machine: MachineSummary,
  host: string,
): Promise<Surveyed | undefined> {
  const { vmid, isRunning } = machine;
  await waitUntilMade(ctx, client, node, machine);
  try {
    const { now, next } = await client.machineState({ node, vmid }, ctx.signal);
    const have = readMachine(now, { host, on: node, vmid, isRunning }, next);
    return have && (await withDetached(ctx, client, have));
  } catch (thrown) {
    // Removed since the list was made.
    if (thrown instanceof SlipwayError && thrown.code === "PVE_NOT_FOUND") return undefined;
    throw thrown;
  }
}

/** What was detached goes its way with the others. */
const allDisks = ({ dataDisks, detached }: Surveyed): FoundDisk[] =>
  [...dataDisks, ...(detached ? [detached] : [])].toSorted((a, b) => slotNumber(a.slot) - slotNumber(b.slot));

const owned = (have: Surveyed): OwnedMachine => ({
  cluster: have.cluster,
  node: have.node,
  role: have.role,
  host: have.host,
  on: have.on,
  id: have.vmid,
  isRunning: have.isRunning,
  image: have.image,
  memoryMiB: have.memoryMiB,
  cores: have.cores,
  dataDisksGiB: allDisks(have).map((disk) => disk.sizeGiB),
  keptDisks: keptDisks({ ...have, dataDisks: allDisks(have) }).map(({ index, sizeGiB, volume }) => ({
    index,
    sizeGiB,
    volume,
  })),
  isProtected: have.isProtected,
  isHaManaged: have.isHaManaged,
  isProtectedByFile: have.mark.protect,
  insteadOf: have.mark.insteadOf,
});
