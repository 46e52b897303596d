import path from "node:path";
import { addons as allAddons, standInsOf, type AddonDefinition } from "../../addons/index.ts";
import { connectFactory } from "../../clients/factory/index.ts";
import { connectRedfish } from "../../clients/redfish/index.ts";
import { connectHelm } from "../../clients/helm/index.ts";
import { connectSsh } from "../../clients/ssh/index.ts";
import { connectProxmox, type ProxmoxClient } from "../../clients/proxmox/index.ts";
import {
  CallTrace,
  Redaction,
  realClock,
  replaceFile,
  seededRandom,
  virtualTime,
  type Clock,
  type Dial,
  type VirtualTime,
} from "../../lib/index.ts";
import type { Tell } from "../../plan/index.ts";
import {
  mappedNetwork,
  realisticLatencies,
  startDatacenter,
  type Datacenter,
  type DatacenterFile,
  type Fault,
  type Latencies,
} from "../../sim/index.ts";
import { simHelm, simHelmProgram } from "../../sim/helm/index.ts";
import { standInArtifact } from "../../sim/k3s/index.ts";
import { imageFactory } from "../../images/index.ts";
import type { Fleet, ProxmoxHost } from "../../spec/index.ts";
import {
  dhcpAddresses,
  slipwayVersion,
  tellingProxmoxCalls,
  type DhcpAddresses,
  type World,
} from "../../world/index.ts";
import { noKeys, secretFiles, throwawayKeys, type AgeKeys } from "../../secrets/index.ts";
import { rehearsalCharts } from "./charts.ts";
import { rehearsalDatacenter, rehearsalEntries } from "./datacenter.ts";
import { imageSites } from "./image-sites.ts";
import { libvirtClients, rehearsedDaemons } from "./libvirt.ts";
import { rehearsedLogin, rehearsedPassword } from "./metal.ts";

export interface RehearsalOptions {
  /** Where the rehearsal keeps its secrets and journal; never the user's own `.slipway`. */
  folder: string;
  /** How many times faster than the wall its clock runs at most, for people who watch. */
  speed?: number | undefined;
  latencies?: Latencies;
  faults?: Fault[];
  /** What opens secrets; left out: a key of the rehearsal's own. */
  keys?: AgeKeys;
  /** The distributions there are; left out: Slipway's own. */
  distributions?: World["distributions"];
  /** Files that come after this one: their charts are to be had too. */
  later?: Fleet[];
  /** Add-ons that the fleet may name. Left out: all of this version. */
  addons?: readonly AddonDefinition[];
  /** Left out: one of this world alone. */
  calls?: CallTrace | undefined;
  /** Shared with all that writes. Left out: one of this rehearsal alone. */
  redaction?: Redaction | undefined;
}

/** What a world waits by, and how it reaches the datacenter. */
export type Wires = Pick<World, "clock" | "dial">;

/** A simulated datacenter for a fleet. Worlds come and go; the datacenter stays until it is closed. */
export interface Rehearsal {
  datacenter: Datacenter;
  time: VirtualTime;
  redaction: Redaction;
  /** Over wires of its own where they are given, as another process would have them. */
  world(stop: AbortSignal, tell: Tell, wires?: Wires): World;
  close(): Promise<void>;
}

export async function startRehearsal(fleet: Fleet, options: RehearsalOptions): Promise<Rehearsal> {
  const { addons = allAddons, calls = new CallTrace(), redaction = new Redaction() } = options;
  const standIns = await standInsOf(addons);
  const network = mappedNetwork();
  const { speed } = options;
  const time = virtualTime({ speed, isUnderWay: () => network.isUnderWay() });
  // The same every time; nothing here protects anything.
  const random = seededRandom(fleet.file);
  const file = rehearsalDatacenter(fleet, random);
  const daemons = rehearsedDaemons(fleet);
  const datacenter = await startDatacenter({
    file: { ...file, latencies: options.latencies ?? realisticLatencies, faults: options.faults ?? [] },
    entries: rehearsalEntries(fleet),
    libvirtEntries: daemons.map(({ name, entry }) => ({ name, ...entry })),
    downloads: imageSites(fleet),
    network,
    clock: time.background,
    random,
    standIns,
    factories: [...new Set(fleet.clusters.flatMap((each) => imageFactory(each)?.replace(/\/+$/, "") ?? []))],
  });
  await untilBooted(file, time.clock, options.latencies ?? realisticLatencies);
  const own: Wires = { clock: time.clock, dial: network.dial };
  const isEncrypted = fleet.clusters.some((cluster) => cluster.secrets);
  const ours = isEncrypted && !options.keys ? await throwawayKeys() : undefined;
  const atRest = (name: string) => {
    const wanted = fleet.clusters.find((cluster) => cluster.name === name)?.secrets;
    return ours ? ours.joining(wanted) : wanted;
  };
  const fleets = [fleet, ...(options.later ?? [])];
  const run = simHelm({
    clock: time.background,
    dial: network.dial,
    charts: (await Promise.all(fleets.map((each) => rehearsalCharts(each, addons, standIns)))).flat(),
  });
  const clients = new Map<Dial, Map<string, ProxmoxClient>>();
  const openOver =
    ({ clock, dial }: Wires) =>
    ({ name, proxmox: { url } }: ProxmoxHost, token: { id: string; secret: string }): ProxmoxClient =>
      connectProxmox({
        ...{ url, token, trust: { ca: datacenter.ca }, dial, clock, calls },
        onCall: tellingProxmoxCalls(calls, name),
      });
  const openProxmoxOver =
    (wires: Wires): World["openProxmox"] =>
    async (host) => {
      const { url, token } = host.proxmox;
      const opened = clients.get(wires.dial) ?? new Map<string, ProxmoxClient>();
      clients.set(wires.dial, opened);
      const key = `${url} ${token.id}`;
      const secret = file.tokens[token.id]?.secret ?? "";
      const client = opened.get(key) ?? openOver(wires)(host, { id: token.id, secret });
      opened.set(key, client);
      return client;
    };
  const libvirts = libvirtClients(daemons, { ...own, calls });
  const { openLibvirt } = libvirts;
  const dhcpAddressesIn = (tell: Tell, wires: Wires) =>
    dhcpAddresses({ fleet, openProxmox: openProxmoxOver(wires), openLibvirt, clock: wires.clock, tell });
  const authorityOf = (url: string): string =>
    datacenter.factories.find((factory) => url.startsWith(factory.url))?.ca ?? "";
  return {
    datacenter,
    time,
    redaction,
    async close() {
      for (const opened of clients.values()) for (const client of opened.values()) client.close();
      await libvirts.close();
      await datacenter.close();
    },
    world: (stop, tell, { clock, dial } = own) => ({
      kind: "rehearsal",
      distributions: options.distributions,
      slipway: slipwayVersion,
      addons,
      clock,
      wall: realClock,
      random,
      calls,
      redaction,
      dial,
      ...ways(dhcpAddressesIn(tell, { clock, dial }), dial),
      dialOver: () => dial,
      folder: options.folder,
      secretFiles: secretFiles({
        folder: options.folder,
        random,
        clock: realClock,
        keys: options.keys ?? ours?.keys ?? noKeys,
        atRest,
        resolveSecret: () => Promise.resolve("rehearsed"),
        redaction,
      }),
      stop,
      tell,
      openHelm: async (access) =>
        connectHelm({
          clock,
          calls,
          helm: simHelmProgram,
          run,
          folder: path.join(options.folder, "helm"),
          ...access,
        }),
      filesInGit: () => Promise.resolve([]),
      // Nothing leaves this machine: what is found elsewhere counts as empty.
      fetchText: async (url) => {
        const [known] = standIns.flatMap((standIn) => standIn.manifest?.(url) ?? []);
        if (known !== undefined) return known;
        tell({ type: "log", level: "info", text: `not fetched in a rehearsal: ${url}` });
        return "";
      },
      fetchFile: async (url, into) => {
        await replaceFile(into, standInArtifact(url));
      },
      cacheFolder: path.join(options.folder, "cache"),
      openLibvirt,
      imageAuthorities: [datacenter.downloads, ...datacenter.factories].flatMap(({ ca }) =>
        ca === "" ? [] : [ca],
      ),
      openBmc: async (_host, { bmc, name }) => {
        if (!bmc) throw new Error(`${name} has no management controller`);
        const { url, user } = bmc;
        const trust = { ca: datacenter.metal.ca };
        return connectRedfish({ url, user, password: rehearsedPassword, trust, dial, clock, calls });
      },
      openOwnSsh: async ({ address, user, key }, signal) =>
        connectSsh({
          ...{ host: address, user, dial, clock, calls },
          keys: [key ?? { name: "the user's own", text: rehearsedLogin.private }],
          knownHosts: { files: [], trustOnFirstUse: {} },
          signal,
        }),
      wake: async (mac) => datacenter.metal.wake(mac),
      resolveSecret: () => Promise.resolve("rehearsed"),
      openProxmox: openProxmoxOver({ clock, dial }),
      openProxmoxAs: async (host, token) => openOver({ clock, dial })(host, token),
      openS3: () => Promise.reject(new Error("no bucket is simulated")),
      // What hangs in a rehearsal never answers; time of the wall is not worth waiting for it.
      openFactory: (url) =>
        connectFactory({ url, dial, clock, calls, trust: { ca: authorityOf(url) }, timeoutMs: 3_000 }),
    }),
  };
}

const ways = (later: DhcpAddresses, dial: World["dial"]): Pick<World, "dialFor" | "addressOf"> => {
  const leading = later.leading(dial);
  return { dialFor: () => leading, addressOf: (host) => later.find(host) };
};

/** Machines that the file says are there have been switched on long before. */
async function untilBooted({ metal }: DatacenterFile, clock: Clock, { bootMs }: Latencies): Promise<void> {
  if (Object.keys(metal).length > 0) await clock.sleep(2 * bootMs + 1_000);
}
