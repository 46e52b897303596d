import { SlipwayError } from "../../../errors/index.ts";
import type { Guest, ImageContent, NodeInfo, ProxmoxClient, Volume } from "../../../clients/proxmox/index.ts";
import type { AwayMachine, HostFacts, ReadContext, Survey } from "../../../plan/index.ts";
import type { ProxmoxHost } from "../../../spec/index.ts";
import { groupByServer, type HostRegistry } from "../host-registry.ts";
import { isOurImage, taggedCluster } from "../mark.ts";
import { unreachableNodes, unlessUnreachable } from "./unreachable.ts";
import { disksKeptIn, keptDisksHolder, keptDisksMachinesOnce } from "./survey-kept-disks.ts";
import type { KeptDisksMachine } from "../disks/kept-disks-mark.ts";
import { machineKey, ownSurvey, volumesKey, type HostSeen, type ProxmoxSeen } from "./own-survey.ts";
import {
  eachOnce,
  machinesOrUnreachable,
  nothingPromised,
  ownedMachine,
  type Surveyed,
} from "./survey-machines.ts";
import { templatesOnce } from "./survey-templates.ts";

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
    machines: found.map(ownedMachine),
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

type OwnFacts = Omit<HostFacts, "realm" | "memoryPromisedMiB" | "coresPromised">;

/** What a host is and holds beside machines. */
interface HostFindings {
  host: ProxmoxHost;
  images: Survey["images"];
  /** Absent: it would not tell. */
  facts?: OwnFacts;
  /** The same and more, for checks that follow at once. */
  seen?: HostSeen;
}

async function inspectHost(
  ctx: ReadContext,
  client: ProxmoxClient,
  host: ProxmoxHost,
): Promise<HostFindings> {
  const { images, isos } = host.proxmox.storage;
  const [known, ...lists] = await Promise.all([
    factsOf(ctx, client, host),
    volumesOn(ctx, client, host, images, "import"),
    volumesOn(ctx, client, host, isos, "iso"),
  ]);
  const told = lists.flatMap(({ storage, content, volumes }) =>
    volumes ? [{ key: volumesKey(storage, content), storage, content, volumes }] : [],
  );
  const found = told.flatMap(({ storage, content, volumes }) =>
    volumes
      .map(({ volume }) => volume.slice(`${storage}:${content}/`.length))
      .filter(isOurImage)
      .map((file) => ({ host: host.name, storage, file })),
  );
  if (!known) return { host, images: found };
  const { facts, storages, processor } = known;
  const volumes = Object.fromEntries(told.map((each) => [each.key, each.volumes]));
  return { host, images: found, facts, seen: { storages, processor, volumes } };
}

interface Listed {
  storage: string;
  content: ImageContent;
  volumes: Volume[] | undefined;
}

async function volumesOn(
  ctx: ReadContext,
  client: ProxmoxClient,
  host: ProxmoxHost,
  storage: string,
  content: ImageContent,
): Promise<Listed> {
  const ask = () => client.storageContent(host.proxmox.node, storage, content, ctx.signal);
  return { storage, content, volumes: await unlessRefused(ctx, host, ask) };
}

async function factsOf(ctx: ReadContext, client: ProxmoxClient, host: ProxmoxHost) {
  const { node } = host.proxmox;
  return unlessRefused(ctx, host, async () => {
    const [status, storages] = await Promise.all([
      client.nodeStatus(node, ctx.signal),
      client.storages(node, ctx.signal),
    ]);
    const { cores, memoryMiB, memoryUsedMiB, version, processor } = status;
    const facts: OwnFacts = {
      host: host.name,
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
    };
    return { facts, storages, processor };
  });
}

const refusals = new Set([
  "PVE_FORBIDDEN",
  "PVE_NOT_FOUND",
  "PVE_BAD_PARAMETER",
  "PVE_REFUSED",
  "PVE_NODE_UNREACHABLE",
  "PVE_TIMEOUT",
]);

/** A missing right or storage is for preflight to name, with its fix; the survey goes on without. */
async function unlessRefused<T>(
  ctx: ReadContext,
  host: ProxmoxHost,
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError) || !refusals.has(thrown.code)) throw thrown;
    ctx.log("debug", `${host.name}: ${thrown.message}`);
    return undefined;
  }
}
