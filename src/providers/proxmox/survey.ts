import { SlipwayError } from "../../errors/index.ts";
import type {
  Guest,
  ImageContent,
  MachineSummary,
  NodeInfo,
  ProxmoxClient,
} from "../../clients/proxmox/index.ts";
import type { AwayMachine, HostFacts, OwnedMachine, ReadContext, Survey } from "../../plan/index.ts";
import type { ProxmoxHost } from "../../spec/index.ts";
import type { Found } from "./find-machine.ts";
import { groupByServer, type HostBook } from "./host-book.ts";
import { detachedData } from "./detached-disks.ts";
import { readMachine, type MachineHave } from "./machine-config.ts";
import { slotNumber, type FoundDisk } from "./machine-drives.ts";
import { isOurImage, mayBeOurs, taggedCluster } from "./ownership.ts";
import { isNodeSilence, silentFor, silentNodes, unlessSilent } from "./silence.ts";
import { disksOfShelf, ownedShelf, shelvesOn, shelvesOnce } from "./survey-shelves.ts";
import type { ShelfHave } from "./shelf-mark.ts";
import { keptDisks } from "./kept-disks.ts";
import { memoryKey, type SurveyMemory } from "./survey-memory.ts";
import { templatesOn, templatesOnce } from "./survey-templates.ts";
import { waitUntilMade } from "./wait-until-made.ts";

/** One look at all hosts; those of one Proxmox cluster are asked once, everything side by side. */
export async function surveyHosts(
  ctx: ReadContext,
  book: HostBook,
  memory: SurveyMemory,
  hosts: ProxmoxHost[],
): Promise<Survey> {
  const parts = await Promise.all(
    groupByServer(hosts).map(async (group) => {
      const asked = await unlessSilent(ctx, group, () => surveyServer(ctx, book, group));
      return Array.isArray(asked) ? { ...nothingSeen, silent: asked } : asked;
    }),
  );
  const found = eachOnce(
    parts.flatMap((part) => part.machines),
    book,
  );
  const shelves = shelvesOnce(parts.flatMap((part) => part.shelves));
  const takenVmids = new Map(parts.flatMap((part) => [...part.taken]));
  const ours = new Map<string, Found>(
    found.map((have) => [memoryKey(have.host, have.vmid), { state: "ours", have }]),
  );
  memory.keep({ atMs: ctx.clock.now(), ours, taken: takenVmids });
  return {
    machines: found.map(owned),
    images: parts.flatMap((part) => part.images),
    templates: templatesOnce(
      parts.flatMap((part) => part.templates),
      book,
    ),
    keptDisks: shelves.flatMap(disksOfShelf),
    shelves: shelves.map(ownedShelf),
    silent: parts.flatMap((part) => part.silent),
    away: parts.flatMap((part) => part.away),
    places: parts.flatMap((part) => part.places),
    takenVmids,
    hosts: hosts.flatMap((host) =>
      parts.flatMap((part) => part.facts).filter((facts) => facts.host === host.name),
    ),
  };
}

type Part = Pick<Survey, "images" | "silent" | "templates"> & {
  machines: Surveyed[];
  shelves: ShelfHave[];
  taken: Survey["takenVmids"];
  facts: HostFacts[];
  away: AwayMachine[];
  places: string[];
};

const nothingSeen: Part = {
  templates: [],
  machines: [],
  shelves: [],
  taken: new Map(),
  images: [],
  facts: [],
  silent: [],
  away: [],
  places: [],
};

async function surveyServer(ctx: ReadContext, book: HostBook, group: ProxmoxHost[]): Promise<Part> {
  const [first] = group;
  if (!first) return nothingSeen;
  const client = await book.client(first.name);
  const [guests, nodes] = await Promise.all([client.guests(ctx.signal), client.nodes(ctx.signal)]);
  const online = nodes.filter((node) => node.isOnline).map((node) => node.node);
  const reachable = group.filter((host) => online.includes(host.proxmox.node));
  const [lists, images, facts] = await Promise.all([
    Promise.all(online.map((node) => machinesOrSilence(ctx, client, node, group))),
    Promise.all(reachable.map((host) => imagesOn(ctx, client, host))),
    Promise.all(reachable.map((host) => factsOf(ctx, client, host))),
  ]);
  const heard = lists.filter(({ isHeard }) => isHeard).map(({ node }) => node);
  const managed = new Set(guests.filter((guest) => guest.isHaManaged).map((guest) => guest.vmid));
  const promises = new Map(lists.map((list) => [list.node, list.promised]));
  // The list of the whole cluster also knows containers and nodes that are off; the nodes' own lists are fresher.
  const vmids = new Set([...guests.map((guest) => guest.vmid), ...lists.flatMap((list) => list.vmids)]);
  return {
    machines: lists
      .flatMap((list) => list.ours)
      .map((have): Surveyed => (managed.has(have.vmid) ? { ...have, isHaManaged: true } : have)),
    shelves: lists.flatMap((list) => list.shelves),
    templates: lists.flatMap((list) => list.templates),
    taken: new Map(group.map((host) => [host.name, vmids])),
    silent: [...silentNodes(group, nodes), ...lists.flatMap((list) => list.silent)],
    away: guests.filter(({ node }) => !heard.includes(node)).flatMap(awayMachine),
    places: heard,
    images: images.flat(),
    facts: facts.flat().map(({ node, ...each }) => ({
      ...each,
      realm: realmOf(nodes, first),
      ...(promises.get(node) ?? nothingPromised),
    })),
  };
}

/** Its Proxmox cluster knows number and tags of a machine whose node is off, rarely its name. */
function awayMachine({ tags, name, node, vmid }: Guest): AwayMachine[] {
  const cluster = taggedCluster(tags);
  return cluster === undefined ? [] : [{ cluster, name, on: node, vmid }];
}

/** The first certificate speaks for all: every node of a Proxmox cluster lists the same ones. */
const realmOf = (nodes: NodeInfo[], host: ProxmoxHost): string =>
  nodes
    .map((node) => node.fingerprint)
    .filter((print) => print !== "")
    .toSorted()[0] ?? host.proxmox.url;

/** A machine of ours, whether Proxmox keeps it running by itself, and a data disk that somebody took off it. */
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
function eachOnce(machines: Surveyed[], book: HostBook): Surveyed[] {
  const isAtHome = (have: MachineHave): boolean => book.host(have.host).proxmox.node === have.on;
  const known = new Map<string, Surveyed>();
  for (const have of machines) {
    const key = `${have.cluster}/${have.node}/${have.vmid}/${have.on}`;
    if (!known.has(key) || isAtHome(have)) known.set(key, have);
  }
  return [...known.values()];
}

/** A node may fall silent while its neighbours still call it online. */
async function machinesOrSilence(
  ctx: ReadContext,
  client: ProxmoxClient,
  node: string,
  group: ProxmoxHost[],
) {
  const hosts = group.filter((host) => host.proxmox.node === node);
  try {
    return { ...(await machinesOn(ctx, client, node, group)), isHeard: true, silent: [] };
  } catch (thrown) {
    if (!isNodeSilence(thrown)) throw thrown;
    ctx.log("warn", `${node}: ${thrown.message}`);
    return {
      node,
      vmids: [],
      ours: [],
      shelves: [],
      templates: [],
      promised: nothingPromised,
      isHeard: false,
      silent: silentFor(hosts, thrown),
    };
  }
}

async function machinesOn(ctx: ReadContext, client: ProxmoxClient, node: string, group: ProxmoxHost[]) {
  const all = await client.machines(node, ctx.signal);
  const host = group.find((each) => each.proxmox.node === node) ?? group[0];
  const candidates = all.filter((machine) => !machine.isTemplate && mayBeOurs(machine.tags));
  const place = { host: host?.name ?? node, on: node };
  const [haves, shelves, templates] = await Promise.all([
    Promise.all(candidates.map((machine) => readOwned(ctx, client, node, machine, place.host))),
    shelvesOn(ctx, client, place, all),
    templatesOn(ctx, client, place, all),
  ]);
  const ours = haves.flatMap((have) => have ?? []);
  return {
    node,
    vmids: all.map((machine) => machine.vmid),
    ours,
    shelves,
    templates,
    promised: promisedTo(all, ours),
  };
}

const nothingPromised = { memoryPromisedMiB: 0, coresPromised: 0 };

/** A machine of somebody else's that is off may stay off; ours is meant to run. */
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

async function imagesOn(
  ctx: ReadContext,
  client: ProxmoxClient,
  host: ProxmoxHost,
): Promise<Survey["images"]> {
  const { node, storage } = host.proxmox;
  const list = async (name: string, content: ImageContent) => {
    const ask = () => client.storageContent(node, name, content, ctx.signal);
    const volumes = await unlessRefused(ctx, host, [], ask);
    return volumes
      .map((volume) => volume.volume.slice(`${name}:${content}/`.length))
      .filter(isOurImage)
      .map((file) => ({ host: host.name, storage: name, file }));
  };
  return (await Promise.all([list(storage.images, "import"), list(storage.isos, "iso")])).flat();
}

type OwnFacts = Omit<HostFacts, "realm" | keyof typeof nothingPromised> & { node: string };

async function factsOf(ctx: ReadContext, client: ProxmoxClient, host: ProxmoxHost): Promise<OwnFacts[]> {
  const { node } = host.proxmox;
  const read = async (): Promise<OwnFacts[]> => {
    const [status, storages] = await Promise.all([
      client.nodeStatus(node, ctx.signal),
      client.storages(node, ctx.signal),
    ]);
    const { cores, memoryMiB, memoryUsedMiB, version } = status;
    return [
      {
        host: host.name,
        node,
        software: `Proxmox VE ${version}`,
        cores,
        memoryMiB,
        memoryUsedMiB,
        storages: storages.map(({ name, freeGiB, totalGiB, type, isShared }) => ({
          name,
          freeGiB,
          totalGiB,
          type,
          isShared,
        })),
      },
    ];
  };
  return unlessRefused(ctx, host, [], read);
}

/** A missing right or storage is for preflight to name, with its fix; the survey goes on without. */
async function unlessRefused<T>(
  ctx: ReadContext,
  host: ProxmoxHost,
  otherwise: T,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    const codes = [
      "PVE_FORBIDDEN",
      "PVE_NOT_FOUND",
      "PVE_BAD_PARAMETER",
      "PVE_REFUSED",
      "PVE_NODE_UNREACHABLE",
      "PVE_TIMEOUT",
    ];
    if (!(thrown instanceof SlipwayError) || !codes.includes(thrown.code)) throw thrown;
    ctx.log("debug", `${host.name}: ${thrown.message}`);
    return otherwise;
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
  vmid: have.vmid,
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
  ...(have.isHaManaged && { isHaManaged: have.isHaManaged }),
  ...(have.mark.protect && { isProtectedByFile: have.mark.protect }),
});
