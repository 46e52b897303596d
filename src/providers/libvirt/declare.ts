import type { FactoryClient } from "../../clients/factory/index.ts";
import type { Dial } from "../../lib/index.ts";
import type { RollingGates, Provider, ProviderFamily } from "../../plan/index.ts";
import type { LibvirtHost } from "../../spec/index.ts";
import { machineImage } from "../../images/index.ts";
import { libvirtConfigSeed } from "./disks/config-seed.ts";
import { libvirtConsoles } from "./consoles.ts";
import { describeLeftovers, findLeftovers } from "./leftovers.ts";
import { describeMachines } from "./machine/describe-machines.ts";
import { inspectMachines } from "./survey/inspect-machines.ts";
import { measureUsage } from "./survey/measure-usage.ts";
import { hostRegistry, type Connect } from "./host-registry.ts";
import { libvirtImage } from "./image/image.ts";
import { libvirtKeptDisks } from "./disks/kept-disks.ts";
import { demandKeptFit } from "../common/index.ts";
import { keptDiskElsewhere, keptDiskLarger } from "./errors.ts";
import type { FirstConfig, GuestKeys } from "./disks/machine-volumes.ts";
import { libvirtMachine } from "./machine/machine.ts";
import { libvirtHalf } from "./move/halves.ts";
import { libvirtMove } from "./move/move.ts";
import { libvirtMoves } from "./move/moves.ts";
import { libvirtNetwork } from "./network/network.ts";
import { libvirtPool } from "./pool/pool.ts";
import { preflightChecks } from "./preflight/index.ts";
import { libvirtNotes } from "./run-notes.ts";
import { seenIn, surveyHosts } from "./survey/survey.ts";

export interface LibvirtProviderOptions {
  /** Opens the libvirt of a host. Called often, so it should keep what it has opened. */
  connect: Connect;
  /** Version of Slipway, written into the mark of every machine. */
  slipway?: string;
  /** Opens an image factory. Left out: nothing is registered there. */
  openFactory?: (url: string) => FactoryClient;
  /** How images are reached. */
  dial?: Dial;
  /** Who may vouch for servers of images, PEM. Left out: those that this computer trusts. */
  authorities?: string[] | undefined;
  /** How the addresses of a cluster are reached. Left out: they are not probed for being in use. */
  dialFor?: (cluster: string) => Dial;
  /** Which nodes of a cluster do their work, asked around a restart. Left out: not asked. */
  gates?: RollingGates;
  /** Keys for machines that are reached by SSH. */
  guestKeys?: GuestKeys;
  /** What new nodes find on their seeds where the file asks for that. */
  firstConfig?: FirstConfig;
}

/** libvirt as a provider. */
export const libvirtProvider = (options: LibvirtProviderOptions): ProviderFamily<LibvirtHost> => ({
  kind: "libvirt",
  open: (hosts) => openLibvirt(hosts, options),
});

function openLibvirt(hosts: readonly LibvirtHost[], options: LibvirtProviderOptions): Provider<LibvirtHost> {
  const { slipway = "", openFactory, dial, authorities, dialFor, guestKeys, firstConfig, gates } = options;
  const registry = hostRegistry(hosts, options.connect);
  const machine = libvirtMachine({
    registry,
    slipway,
    gates,
    guestKeys,
    firstConfig,
  });
  return {
    resources: [
      libvirtPool(registry),
      libvirtNetwork(registry, slipway),
      libvirtImage({ registry, openFactory, dial, authorities }),
      machine,
      libvirtConfigSeed(machine),
      libvirtKeptDisks(registry),
      libvirtMove({ registry, gates }),
      libvirtHalf(registry),
    ],

    survey: (ctx, some) => surveyHosts(ctx, registry, some),

    describe(cluster, placed, needs) {
      demandKeptFit(cluster, placed, needs.survey, { keptDiskElsewhere, keptDiskLarger });
      return describeMachines(cluster, placed, needs);
    },

    describeLeftovers: (survey, isUnwanted, keepImages, removalScope = { losesData: false, clusters: [] }) =>
      describeLeftovers({
        survey,
        isUnwanted,
        keepImages,
        removalScope,
        networks: seenIn(survey.own)?.networks ?? [],
        halves: seenIn(survey.own)?.halves ?? [],
        hosts: survey.hosts.map(({ host }) => registry.host(host)),
      }),

    usage: (ctx, machines) => measureUsage(ctx, registry, machines),
    inspect: (ctx, machines, survey) => inspectMachines(ctx, registry, machines, survey),
    findLeftovers: (ctx, _hosts, removed) => findLeftovers(ctx, registry, removed),
    // Only what may lie on these hosts: a cluster elsewhere may be made in another way.
    imagesOf: (clusters) => {
      const here = clusters.filter((cluster) => cluster.on.some((name) => registry.knows(name)));
      return [...new Set(here.map((cluster) => machineImage(cluster).fileName))];
    },
    preflight(cluster, placed, survey, all = new Map([[cluster.name, placed]])) {
      return preflightChecks(registry, { cluster, placed, survey, all }, { dialFor });
    },
    moves: libvirtMoves(registry),
    consoles: libvirtConsoles(registry),
    notes: libvirtNotes(options.connect),
  };
}
