import { readFile } from "node:fs/promises";
import path from "node:path";
import { connectFactory, type FactoryClient } from "./clients/factory/index.ts";
import {
  connectProxmox,
  loginProxmox,
  type ProxmoxClient,
  type ProxmoxSession,
  type Trust,
} from "./clients/proxmox/index.ts";
import type { HelmClient } from "./clients/helm/index.ts";
import type { LibvirtClient } from "./clients/libvirt/index.ts";
import { SlipwayError, type Position } from "./errors/index.ts";
import {
  dialDirect,
  realClock,
  realRandom,
  tellCall,
  type Clock,
  type Dial,
  type Random,
} from "./lib/index.ts";
import type { Tell } from "./plan/index.ts";
import { cacheFolder } from "./cache-folder.ts";
import { fetchFile, type OnProgress } from "./fetch-file.ts";
import { fetchText } from "./fetch-text.ts";
import { helmOnThisMachine, type HelmAccess } from "./helm-world.ts";
import { hopWorld } from "./hop-world.ts";
import { laterAddresses } from "./later-addresses.ts";
import { connectHost } from "./libvirt-world.ts";
import { runProgramWith } from "./run-program.ts";
import {
  ageKeys,
  filesInGit,
  resolveSecret,
  secretFiles,
  type AgeKeys,
  type SecretFiles,
} from "./secrets/index.ts";
import type { Fleet, Host, Jump, LibvirtHost, ProxmoxHost, SecretRef, TlsTrust } from "./spec/index.ts";
import { sshSettings } from "./ssh-settings.ts";
import { slipwayVersion } from "./version.ts";

/** All that Slipway touches outside itself. Tests and rehearsals pass a simulated one. */
export interface World {
  kind: "real" | "rehearsal";
  /** Which Slipway this is; machines it makes carry it in their mark. */
  slipway: string;
  clock: Clock;
  /** The time others agree on: certificates are dated by it, also when `clock` runs faster. */
  wall: Pick<Clock, "now">;
  random: Random;
  /** From this computer: image factories and the like. */
  dial: Dial;
  /** To the nodes and the Kubernetes API of a cluster, through its jump hosts where it has any. */
  dialFor(cluster: string): Dial;
  /** What a node has been given that is dialled by name, because its address comes from DHCP; others stay as they are. */
  addressOf(host: string): Promise<string>;
  /** Through these hosts. A rehearsal uses none. */
  dialOver(jump: readonly Jump[] | undefined): Dial;
  /** Where secrets, access files and journals live: `.slipway` beside the cluster file. */
  folder: string;
  /** The secrets in it, plain or encrypted as the cluster file says. */
  secretFiles: SecretFiles;
  openProxmox(host: ProxmoxHost): Promise<ProxmoxClient>;
  /** The same server as somebody else; the caller closes it. */
  openProxmoxAs(host: ProxmoxHost, token: { id: string; secret: string }): Promise<ProxmoxClient>;
  /** Kept open for the next who asks. */
  openLibvirt(host: LibvirtHost): Promise<LibvirtClient>;
  /** Fetches a secret the cluster file refers to. A rehearsal makes one up. */
  resolveSecret(ref: SecretRef, what: string): Promise<string>;
  openFactory(url: string): FactoryClient;
  /** Helm, the user's own or one fetched once. */
  openHelm(access: HelmAccess): Promise<HelmClient>;
  /** Files at or below this place that git has, or would take with the next `git add`. */
  filesInGit(place: string): Promise<string[]>;
  /** The text behind an address. */
  fetchText(url: string): Promise<string>;
  /** Streams what is behind an address into a file, which is there whole or not at all. A rehearsal makes it up. */
  fetchFile(url: string, into: string, onProgress?: OnProgress): Promise<void>;
  /** Where files fetched once are kept for all clusters. */
  cacheFolder: string;
  /** Aborted by the first Ctrl-C: start nothing new, end waits. */
  stop: AbortSignal;
  tell: Tell;
}

export interface RealWorldOptions {
  /** The cluster file or folder; `.slipway` stands beside it. */
  file: string;
  /** What the file says: which hosts lead to which cluster. */
  fleet: Pick<Fleet, "clusters"> & Partial<Pick<Fleet, "hosts">>;
  env: NodeJS.ProcessEnv;
  /** For passphrases; absent where nobody can answer. */
  ask?: ((question: string) => Promise<string>) | undefined;
  stop: AbortSignal;
  tell: Tell;
}

/** The real outside: direct connections, the wall clock, true randomness. */
export function realWorld(options: RealWorldOptions): World {
  const clients = new Map<string, Promise<ProxmoxClient>>();
  const libvirts = new Map<string, Promise<LibvirtClient>>();
  const clock = realClock;
  const dial = dialDirect;
  const folder = slipwayFolder(options.file);
  const keys = ageKeys(options);
  const findSecret: World["resolveSecret"] = (ref, what) =>
    resolveSecret(ref, what, { env: options.env, folder: path.dirname(options.file), keys });
  const atRest = (name: string) => options.fleet.clusters.find((each) => each.name === name)?.secrets;
  const { env } = options;
  const settings = sshSettings(env, options.ask);
  const say = (text: string): void => options.tell({ type: "log", level: "info", text });
  const { dialOver, runOn } = hopWorld({ env, settings, resolveSecret: findSecret, say });
  const later = laterAddresses({
    fleet: options.fleet,
    openProxmox: (host) => world.openProxmox(host),
    openLibvirt: (host) => world.openLibvirt(host),
    runOn,
    clock,
    tell: options.tell,
  });
  const jumpOf = (name: string) => options.fleet.clusters.find((each) => each.name === name)?.network.jump;
  const world: World = {
    kind: "real",
    slipway: slipwayVersion,
    clock,
    wall: realClock,
    random: realRandom,
    dial,
    dialFor: (cluster) => later.leading(dialOver(jumpOf(cluster))),
    addressOf: (host) => later.find(host),
    dialOver,
    folder,
    secretFiles: secretFiles({
      folder,
      random: realRandom,
      clock: realClock,
      keys,
      atRest,
      resolveSecret: findSecret,
    }),
    stop: options.stop,
    tell: options.tell,
    resolveSecret: findSecret,
    openProxmox(host) {
      const { url, token } = host.proxmox;
      const key = JSON.stringify([url, token.id, host.jump?.map(({ host: hop, user }) => [hop, user])]);
      const known = clients.get(key) ?? openProxmox(host, { ...options, keys }, clock, dialOver(host.jump));
      clients.set(key, known);
      return known;
    },
    openProxmoxAs: async (host, token) => {
      const trust = await readTrust(host.proxmox.tls, host, path.dirname(host.at.file));
      return connectProxmox({ url: host.proxmox.url, token, trust, dial: dialOver(host.jump), clock });
    },
    openLibvirt(host) {
      const uri = JSON.stringify([host.libvirt.uri, host.jump?.map(({ host: hop, user }) => [hop, user])]);
      const before = libvirts.get(uri);
      // Each asks the one before, so that many at once share one connection, and a lost one is opened anew.
      const client = (async () => {
        const last = await before?.catch(() => undefined);
        return last?.isOpen() ? last : connectHost(host, { env, settings, dial: dialOver(host.jump) });
      })();
      libvirts.set(uri, client);
      return client;
    },
    openFactory: (url) => connectFactory({ url, dial, clock }),
    openHelm: helmOnThisMachine({ env: options.env, folder, stop: options.stop }),
    filesInGit: (place) =>
      filesInGit(place, { run: runProgramWith(options.env), env: options.env, signal: options.stop }),
    fetchText: (url) => fetchText(url, options.stop),
    fetchFile: (url, into, onProgress) =>
      fetchFile(url, into, { stop: options.stop, ...(onProgress && { onProgress }) }),
    cacheFolder: cacheFolder(options.env),
  };
  return world;
}

/** Logs a person in, for what no token may do. The password is used once and kept nowhere. */
export async function loginAs(
  host: ProxmoxHost,
  person: { user: string; password: string },
  { env, ask, stop }: Pick<RealWorldOptions, "env" | "ask" | "stop">,
): Promise<ProxmoxSession> {
  const { url, tls } = host.proxmox;
  const trust = await readTrust(tls, host, path.dirname(host.at.file));
  const { dialOver } = hopWorld({
    env,
    settings: sshSettings(env, ask),
    resolveSecret: (ref, what) => resolveSecret(ref, what, { env, folder: path.dirname(host.at.file) }),
  });
  return loginProxmox({ url, trust, dial: dialOver(host.jump), clock: realClock, ...person }, stop);
}

/** `.slipway` beside the cluster file. */
export const slipwayFolder = (file: string): string => path.join(path.dirname(file), ".slipway");

async function openProxmox(
  host: ProxmoxHost,
  options: Pick<RealWorldOptions, "env" | "tell"> & { keys: AgeKeys },
  clock: Clock,
  dial: Dial,
): Promise<ProxmoxClient> {
  const { url, token, tls } = host.proxmox;
  const { env, keys } = options;
  const folder = path.dirname(host.at.file);
  const whose = `the API token of host "${host.name}"`;
  return connectProxmox({
    url,
    token: { id: token.id, secret: await resolveSecret(token.secret, whose, { env, folder, keys }) },
    trust: await readTrust(tls, host, folder),
    dial,
    clock,
    onCall: ({ method, path: called, status, ms }) =>
      tellCall({
        protocol: "proxmox",
        to: host.name,
        call: `${method} ${called}`,
        ms,
        outcome: String(status),
      }),
  });
}

async function readTrust(tls: TlsTrust, host: Host, folder: string): Promise<Trust> {
  if (!("caFile" in tls)) return tls;
  const file = path.resolve(folder, tls.caFile);
  const ca = await readFile(file, "utf8").catch((cause: unknown) => {
    throw caFileUnreadable({ host: host.name, file: tls.caFile, at: host.at, cause });
  });
  return { ca };
}

const caFileUnreadable = (f: { host: string; file: string; at: Position; cause: unknown }) =>
  new SlipwayError({
    code: "SPEC_CA_FILE_UNREADABLE",
    what: `Cannot trust host "${f.host}"`,
    why: `its CA file "${f.file}" cannot be read`,
    next: `Copy /etc/pve/pve-root-ca.pem of the host to "${f.file}" beside the cluster file`,
    at: f.at,
    cause: f.cause,
  });
