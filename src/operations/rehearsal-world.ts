import path from "node:path";
import { connectFactory } from "../clients/factory/index.ts";
import { connectHelm } from "../clients/helm/index.ts";
import { connectProxmox, type ProxmoxClient } from "../clients/proxmox/index.ts";
import { realClock, realRandom, replaceFile, scaledClock } from "../lib/index.ts";
import type { Tell } from "../plan/index.ts";
import {
  mappedNetwork,
  realisticLatencies,
  startDatacenter,
  type Datacenter,
  type Fault,
  type Latencies,
} from "../sim/index.ts";
import { standInManifest } from "../sim/charts/index.ts";
import { simHelm, simHelmProgram } from "../sim/helm/index.ts";
import { isProxmoxHost, isTalos, type Fleet } from "../spec/index.ts";
import { laterAddresses, type LaterAddresses } from "../later-addresses.ts";
import { slipwayVersion } from "../version.ts";
import { noKeys, secretFiles, throwawayKeys, type AgeKeys } from "../secrets/index.ts";
import type { World } from "../world.ts";
import { rehearsalArtifact } from "./rehearsal-artifacts.ts";
import { rehearsalCharts } from "./rehearsal-charts.ts";
import { rehearsalDatacenter } from "./rehearsal-datacenter.ts";

export interface RehearsalOptions {
  /** Where the rehearsal keeps its secrets and journal; never the user's own `.slipway`. */
  folder: string;
  /** How many times faster than the wall its clock runs. */
  speed: number;
  /** A clock in place of one that runs at this speed. */
  clock?: World["clock"];
  latencies?: Latencies;
  faults?: Fault[];
  /** What opens secrets; left out: a key of the rehearsal's own. */
  keys?: AgeKeys;
  /** Files that come after this one: their charts are to be had too. */
  later?: Fleet[];
}

/** A simulated datacenter for a fleet. Worlds come and go; the datacenter stays until it is closed. */
export interface Rehearsal {
  datacenter: Datacenter;
  clock: World["clock"];
  world(stop: AbortSignal, tell: Tell): World;
  close(): Promise<void>;
}

export async function startRehearsal(fleet: Fleet, options: RehearsalOptions): Promise<Rehearsal> {
  const clock = options.clock ?? scaledClock(options.speed);
  const network = mappedNetwork();
  const file = rehearsalDatacenter(fleet, realRandom);
  const entries = fleet.hosts.filter(isProxmoxHost).map((host) => {
    const url = new URL(host.proxmox.url);
    return { node: host.proxmox.node, host: url.hostname, port: Number(url.port || 443) };
  });
  const datacenter = await startDatacenter({
    file: { ...file, latencies: options.latencies ?? realisticLatencies, faults: options.faults ?? [] },
    entries: entries.filter(
      (entry, index) =>
        entries.findIndex((other) => other.host === entry.host && other.port === entry.port) === index,
    ),
    network,
    clock,
    random: realRandom,
    factories: [
      ...new Set(fleet.clusters.filter(isTalos).map((each) => each.distribution.factory.replace(/\/+$/, ""))),
    ],
  });
  const { dial } = network;
  const isEncrypted = fleet.clusters.some((cluster) => cluster.secrets);
  const ours = isEncrypted && !options.keys ? await throwawayKeys() : undefined;
  const atRest = (name: string) => {
    const wanted = fleet.clusters.find((cluster) => cluster.name === name)?.secrets;
    return ours ? ours.joining(wanted) : wanted;
  };
  const run = simHelm({ clock, dial, charts: [fleet, ...(options.later ?? [])].flatMap(rehearsalCharts) });
  const clients = new Map<string, ProxmoxClient>();
  const open = (url: string, token: { id: string; secret: string }): ProxmoxClient =>
    connectProxmox({ url, token, trust: { ca: datacenter.ca }, dial, clock });
  const openProxmox: World["openProxmox"] = async ({ proxmox: { url, token } }) => {
    const key = `${url} ${token.id}`;
    const client =
      clients.get(key) ?? open(url, { id: token.id, secret: file.tokens[token.id]?.secret ?? "" });
    clients.set(key, client);
    return client;
  };
  const openLibvirt: World["openLibvirt"] = () => Promise.reject(new Error("no libvirt is simulated"));
  const laterIn = (tell: Tell) => laterAddresses({ fleet, openProxmox, openLibvirt, clock, tell });
  const authorityOf = (url: string): string =>
    datacenter.factories.find((factory) => url.startsWith(factory.url))?.ca ?? "";
  return {
    datacenter,
    clock,
    async close() {
      for (const client of clients.values()) client.close();
      await datacenter.close();
    },
    world: (stop, tell) => ({
      kind: "rehearsal",
      slipway: slipwayVersion,
      clock,
      wall: realClock,
      random: realRandom,
      dial,
      ...ways(laterIn(tell), dial),
      dialOver: () => dial,
      folder: options.folder,
      secretFiles: secretFiles({
        folder: options.folder,
        random: realRandom,
        clock: realClock,
        keys: options.keys ?? ours?.keys ?? noKeys,
        atRest,
        resolveSecret: () => Promise.resolve("rehearsed"),
      }),
      stop,
      tell,
      openHelm: async (access) =>
        connectHelm({ helm: simHelmProgram, run, folder: path.join(options.folder, "helm"), ...access }),
      filesInGit: () => Promise.resolve([]),
      // Nothing leaves this machine: what is found elsewhere counts as empty.
      fetchText: async (url) => {
        const known = standInManifest(url);
        if (known !== undefined) return known;
        tell({ type: "log", level: "info", text: `not fetched in a rehearsal: ${url}` });
        return "";
      },
      fetchFile: async (url, into) => {
        await replaceFile(into, rehearsalArtifact(url));
      },
      cacheFolder: path.join(options.folder, "cache"),
      openLibvirt,
      resolveSecret: () => Promise.resolve("rehearsed"),
      openProxmox,
      openProxmoxAs: async ({ proxmox: { url } }, token) => open(url, token),
      // What hangs in a rehearsal never answers; time of the wall is not worth waiting for it.
      openFactory: (url) =>
        connectFactory({ url, dial, clock, trust: { ca: authorityOf(url) }, timeoutMs: 3_000 }),
    }),
  };
}

const ways = (later: LaterAddresses, dial: World["dial"]): Pick<World, "dialFor" | "addressOf"> => {
  const leading = later.leading(dial);
  return { dialFor: () => leading, addressOf: (host) => later.find(host) };
};
