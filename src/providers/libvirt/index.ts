/** Machines on libvirt: how they, their images, disks and networks are found, compared, made and removed. */
import type { FactoryClient } from "../../clients/factory/index.ts";
import type { Dial } from "../../lib/index.ts";
import type { AskHealthyNodes, OwnedMachine, Provider } from "../../plan/index.ts";
import type { Cluster, LibvirtHost } from "../../spec/index.ts";
import { machineImage } from "../../images/index.ts";
import { libvirtConfigSeed } from "./config-seed.ts";
import { libvirtConsoles } from "./consoles.ts";
import { describeLeftovers } from "./describe-leftovers.ts";
import { describeMachines, machineStep } from "./describe.ts";
import { examineMachines } from "./examine.ts";
import { hostBook, type Connect } from "./host-book.ts";
import { libvirtImage } from "./image.ts";
import { libvirtKeptDisks } from "./kept-disks.ts";
import { demandKeptFit } from "./kept-fit.ts";
import type { FirstConfig, GuestKeys } from "./machine-volumes.ts";
import type { MachineKey } from "./machine-want.ts";
import { libvirtMachine } from "./machine.ts";
import type { NetworkKey } from "./network-want.ts";
import { libvirtNetwork, ownNetworks } from "./network.ts";
import { libvirtPool } from "./pool.ts";
import { preflightChecks } from "./preflight/index.ts";
import { remains } from "./remains.ts";
import { libvirtNotes } from "./run-notes.ts";
import { surveyHosts } from "./survey.ts";

export interface LibvirtProviderOptions {
  /** Opens the libvirt of a host. Called often, so it should keep what it has opened. */
  connect: Connect;
  /** Version of Slipway, written into the mark of every machine. */
  slipway?: string;
  /** Opens an image factory. Left out: nothing is registered there. */
  openFactory?: (url: string) => FactoryClient;
  /** How images are reached. */
  dial?: Dial;
  /** How the addresses of a cluster are reached. Left out: nobody listens whether they are in use. */
  dialFor?: (cluster: string) => Dial;
  /** Which nodes of a cluster do their work, asked around a restart. Left out: nobody asks. */
  healthyNodes?: (cluster: Cluster) => Promise<Set<string>>;
  /** Keys for machines that are reached by SSH. */
  guestKeys?: GuestKeys;
  /** What new nodes find on their seeds where the file asks for that. */
  firstConfig?: FirstConfig;
}

export function libvirtProvider(options: LibvirtProviderOptions): Provider<LibvirtHost> {
  const { slipway = "", openFactory, dial, dialFor, guestKeys, firstConfig } = options;
  const book = hostBook(options.connect);
  const described = new Map<string, Cluster>();
  const askHealthyNodes: AskHealthyNodes = async (name) => {
    const cluster = described.get(name);
    if (!cluster || !options.healthyNodes) return undefined;
    const controlPlanes = cluster.nodes.filter((node) => node.role === "control-plane");
    return {
      controlPlanes: controlPlanes.map((node) => node.name),
      healthy: await options.healthyNodes(cluster),
    };
  };
  const networks = new Map<string, NetworkKey[]>();
  /** libvirt has no numbers by which others could say what they removed. */
  const leaving = new Map<string, MachineKey>();
  const machine = libvirtMachine({
    book,
    slipway,
    askHealthyNodes,
    ...(guestKeys && { guestKeys }),
    ...(firstConfig && { firstConfig }),
  });
  return {
    resources: [
      libvirtPool(book),
      libvirtNetwork(book, slipway),
      libvirtImage({ book, ...(openFactory && { openFactory }), ...(dial && { dial }) }),
      machine,
      libvirtConfigSeed(machine),
      libvirtKeptDisks(book),
    ],

    async survey(ctx, hosts) {
      book.add(hosts);
      const survey = await surveyHosts(ctx, book, hosts);
      const silent = new Set(survey.silent.map(({ host }) => host));
      for (const { name } of hosts)
        if (!silent.has(name)) networks.set(name, await ownNetworks(ctx, await book.client(name), name));
      return survey;
    },

    describe(cluster, placed, needs) {
      described.set(cluster.name, cluster);
      book.add(placed.map(({ host }) => host));
      demandKeptFit(cluster, placed, needs.survey);
      return describeMachines(cluster, placed, needs);
    },

    describeLeftovers(survey, isUnwanted, keepImages, fate = { losesData: false, clusters: [] }) {
      const graph = describeLeftovers({
        survey,
        isUnwanted,
        keepImages,
        fate,
        networks: [...networks.values()].flat(),
        hosts: survey.hosts.map(({ host }) => book.host(host)),
      });
      for (const { id, kind, want } of graph)
        if (kind === "libvirt/machine") leaving.set(id, want as MachineKey);
      return graph;
    },

    hindrances: async () => [],
    examine: (ctx, machines, survey) => examineMachines(ctx, book, machines, survey),
    remains: (ctx, hosts) => {
      const here = new Set(hosts.map((host) => host.name));
      return remains(
        ctx,
        book,
        [...leaving.values()].filter(({ host }) => here.has(host)),
      );
    },
    // Clones stand on the image itself.
    describeOldTemplates: () => [],

    describeSnapshots: () => [],
    describeRollback: () => [],
    // Whoever may speak to libvirt at all may do everything there.
    demandRights: async () => undefined,
    snapshotHindrances: async (_ctx, machines) => machines.map(withoutSnapshots),
    listSnapshots: async () => [],

    // Only what may lie on these hosts: a cluster elsewhere may be made in another way.
    imagesOf: (clusters) => {
      const here = clusters.filter((cluster) => cluster.on.some((name) => book.knows(name)));
      return [...new Set(here.map((cluster) => machineImage(cluster).fileName))];
    },
    preflight(cluster, placed, survey, all = new Map([[cluster.name, placed]])) {
      book.add(placed.map(({ host }) => host));
      return preflightChecks(book, { cluster, placed, survey, all }, { ...(dialFor && { dialFor }) });
    },
    machineStep,
    consoles: libvirtConsoles(book),
    notes: libvirtNotes(options.connect),
  };
}

const withoutSnapshots = (machine: OwnedMachine) => ({
  machine,
  why: `${machine.node} is a machine of libvirt, and those have no snapshots in this version`,
  next: "Leave this host's nodes out, or back up what matters from inside the cluster",
});

export type { Console, ConsoleEvents } from "../../clients/libvirt/index.ts";
export { lookForAddress } from "./guest-address.ts";
export { openMachineConsole } from "./machine-console.ts";
export { readHostCapabilities, readMachineCapabilities } from "./capabilities.ts";
export { machineXml, type MachineXml } from "./machine-xml.ts";
export { networkXml, readNetwork, reservationXml, type NetworkXml } from "./network-xml.ts";
export { poolXml, readPool, type PoolXml } from "./pool-xml.ts";
export { readMachine, type FoundMachine } from "./read-machine.ts";
export { readVolume, volumeXml, type VolumeXml } from "./volume-xml.ts";
