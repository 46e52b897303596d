import { readFile } from "node:fs/promises";
import path from "node:path";
import type { AddonDefinition } from "../addons/index.ts";
import { connectFactory, type FactoryClient } from "../clients/factory/index.ts";
import {
  connectProxmox,
  loginProxmox,
  type ProxmoxClient,
  type ProxmoxOptions,
  type ProxmoxSession,
  type Trust,
} from "../clients/proxmox/index.ts";
import type { HelmClient } from "../clients/helm/index.ts";
import { connectS3, type S3Client } from "../clients/s3/index.ts";
import { connectRedfish, type RedfishClient } from "../clients/redfish/index.ts";
import type { LibvirtClient } from "../clients/libvirt/index.ts";
import {
  CallTrace,
  Redaction,
  dialDirect,
  realClock,
  realRandom,
  type Clock,
  type Dial,
  type Random,
  type RunProgram,
} from "../lib/index.ts";
import type { RecoverySource, Tell } from "../plan/index.ts";
import { caFileUnreadable } from "./errors.ts";
import { cacheFolder } from "./folders.ts";
import { fetchFile, fetchText, type OnProgress } from "./fetch-file.ts";
import { gitWorld, type GitWorld } from "./git.ts";
import { helmOnThisMachine, type HelmAccess } from "./helm.ts";
import { openJumpHosts } from "./ssh/jump-hosts.ts";
import { dhcpAddresses } from "./dhcp-addresses.ts";
import { connectHost, sharedClients } from "./libvirt.ts";
import { runProgramWith } from "./run-program.ts";
import { wakeOnLan } from "./wake-on-lan.ts";
import type { OpenOwnSsh } from "../distros/linux-hosts/index.ts";
import type { AnyDistribution } from "../distros/index.ts";
import type { LockTable } from "../engine/index.ts";
import { ageKeys, resolveSecret, secretFiles, type AgeKeys, type SecretFiles } from "../secrets/index.ts";
import type {
  ExistingHost,
  ExistingMachine,
  Fleet,
  Host,
  Jump,
  LibvirtHost,
  ProxmoxHost,
  S3Place,
  SecretRef,
  TlsTrust,
} from "../spec/index.ts";
import { sshSettings } from "./ssh/settings.ts";
import { slipwayVersion } from "./version.ts";

/** All that Slipway touches outside itself. Tests and rehearsals pass a simulated one. */
export interface World extends GitWorld {
  kind: "real" | "rehearsal";
  /** The distributions there are; absent: Slipway's own. */
  distributions?: readonly AnyDistribution[] | undefined;
  /** Which Slipway this is; machines it makes carry it in their mark. */
  slipway: string;
  /** Add-ons that clusters may have. Left out: all of this version. */
  addons?: readonly AddonDefinition[];
  clock: Clock;
  /** The time others agree on: certificates are dated by it, also when `clock` runs faster. */
  wall: Pick<Clock, "now">;
  random: Random;
  /** Calls to the outside, as they happen. */
  calls: CallTrace;
  /** Secrets that no text may hold. */
  redaction: Redaction;
  /** From this computer: image factories and the like. */
  dial: Dial;
  /** To the nodes and the Kubernetes API of a cluster, through its jump hosts where it has any. */
  dialFor(cluster: string): Dial;
  /** What a node has been given that is dialled by name, because its address comes from DHCP; others stay as they are. */
  addressOf(host: string): Promise<string>;
  /** Through these hosts. A rehearsal uses none. */
  dialOver(jump: readonly Jump[] | undefined): Dial;
  /** The secrets in it, plain or encrypted as the cluster file says. */
  secretFiles: SecretFiles;
  openProxmox(host: ProxmoxHost): Promise<ProxmoxClient>;
  /** The same server as somebody else; the caller closes it. */
  openProxmoxAs(host: ProxmoxHost, token: { id: string; secret: string }): Promise<ProxmoxClient>;
  /** Kept open for the next who asks. */
  openLibvirt(host: LibvirtHost): Promise<LibvirtClient>;
  /** The management controller of a machine that has one. */
  openBmc(host: ExistingHost, machine: ExistingMachine): Promise<RedfishClient>;
  /** Logs in on a machine as the user's own settings of SSH say. */
  openOwnSsh: OpenOwnSsh;
  /** Calls a sleeping machine by its MAC address, on the network of this computer. */
  wake(mac: string): Promise<void>;
  /** Fetches a secret the cluster file refers to. A rehearsal makes one up. */
  resolveSecret(ref: SecretRef, what: string): Promise<string>;
  openFactory(url: string): FactoryClient;
  /** A bucket that backups lie in; `folder` is that of the cluster file. */
  openS3(place: S3Place, folder: string): Promise<S3Client>;
  /** Programs of this computer that the file names. A rehearsal runs none. */
  runProgram?: RunProgram | undefined;
  /** Who may vouch for servers of images, PEM. Absent: those that this computer trusts. */
  imageAuthorities?: string[];
  /** Helm, the user's own or one fetched once. */
  openHelm(access: HelmAccess): Promise<HelmClient>;
  /** The text behind an address. */
  fetchText(url: string): Promise<string>;
  /** Streams what is behind an address into a file, which is there whole or not at all. A rehearsal makes it up. */
  fetchFile(url: string, into: string, onProgress?: OnProgress): Promise<void>;
  /** Where files fetched once are kept for all clusters. */
  cacheFolder: string;
  /** The database of the backup that a cluster is restored from; absent while none is. */
  recoverySource?(cluster: string): RecoverySource;
  /** Aborted by the first Ctrl-C: start nothing new, end waits. */
  stop: AbortSignal;
  /** Aborted when somebody else is to go on: nothing new is started, and what has begun comes to its end. */
  halt?: AbortSignal | undefined;
  /** Limits of hosts and storages that runs of this process share. */
  locks?: LockTable | undefined;
  tell: Tell;
}

export interface RealWorldOptions {
  /** The cluster file or folder; `.slipway` stands beside it. */
  file: string;
  /** What the file says: which hosts lead to which cluster. */
  fleet: Pick<Fleet, "clusters"> & Partial<Pick<Fleet, "hosts">>;
  env: NodeJS.ProcessEnv;
  /** What opens encrypted files. Left out: the keys of whoever runs it. */
  keys?: AgeKeys | undefined;
  /** For passphrases; absent where nobody can answer. */
  ask?: ((question: string) => Promise<string>) | undefined;
  stop: AbortSignal;
  tell: Tell;
  /** Left out: one of this world alone. */
  calls?: CallTrace | undefined;
  /** Shared with all that writes. Left out: one of this world alone. */
  redaction?: Redaction | undefined;
  /** Time and wires of a simulated datacenter in this process. Left out: those of this computer. */
  simulated?: Pick<World, "clock" | "dial"> | undefined;
}

const thisComputer = { clock: realClock, dial: dialDirect };

/** The real outside: direct connections, the wall clock, true randomness. */
export function realWorld(options: RealWorldOptions): World {
  const clients = new Map<string, Promise<ProxmoxClient>>();
  const libvirts = sharedClients();
  const { clock, dial } = options.simulated ?? thisComputer;
  const { calls = new CallTrace(), redaction = new Redaction() } = options;
  const git = gitWorld(options);
  const { folder } = git;
  const { keys = ageKeys(options) } = options;
  const findSecret: World["resolveSecret"] = (ref, what) =>
    resolveSecret(ref, what, { env: options.env, folder: path.dirname(options.file), keys, redaction });
  const atRest = (name: string) => options.fleet.clusters.find((each) => each.name === name)?.secrets;
  const { env } = options;
  const settings = sshSettings(env, options.ask, calls);
  const say = (text: string): void => options.tell({ type: "log", level: "info", text });
  const { dialOver, runOn } = openJumpHosts({ env, settings, dial, resolveSecret: findSecret, say });
  const later = dhcpAddresses({
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
    calls,
    redaction,
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
      redaction,
    }),
    stop: options.stop,
    tell: options.tell,
    runProgram: runProgramWith(env),
    resolveSecret: findSecret,
    openProxmox(host) {
      const { url, token } = host.proxmox;
      const key = JSON.stringify([
        url,
        token.id,
        host.jump?.map(({ host: jumpHost, user }) => [jumpHost, user]),
      ]);
      const known =
        clients.get(key) ??
        openProxmox(host, { ...options, keys, calls, redaction }, clock, dialOver(host.jump));
      clients.set(key, known);
      return known;
    },
    openProxmoxAs: async (host, token) => {
      const trust = await readTrust(host.proxmox.tls, host, path.dirname(host.at.file));
      return connectProxmox({ url: host.proxmox.url, token, trust, dial: dialOver(host.jump), clock, calls });
    },
    openLibvirt(host) {
      const uri = JSON.stringify([
        host.libvirt.uri,
        host.jump?.map(({ host: jumpHost, user }) => [jumpHost, user]),
      ]);
      return libvirts.open(uri, () => connectHost(host, { env, settings, calls, dial: dialOver(host.jump) }));
    },
    openBmc: async (host, machine) => {
      const { bmc, name } = machine;
      if (!bmc) throw new Error(`${name} has no management controller`);
      return connectRedfish({
        ...{ url: bmc.url, user: bmc.user, dial: dialOver(host.jump), clock, calls },
        password: await findSecret(bmc.password, `the password of the controller of "${name}"`),
        trust: await readTrust(bmc.tls, { name, at: machine.at }, path.dirname(host.at.file)),
      });
    },
    openOwnSsh: async (to, signal) => {
      const { connectSsh } = await import("../clients/ssh/index.ts");
      const own = await settings.jumpHost(to.address, { user: to.user });
      const { knownHosts } = own;
      return connectSsh({
        ...own,
        ...(to.key && { keys: [to.key] }),
        host: to.address,
        dial: dialOver(jumpOf(to.cluster)),
        knownHosts: {
          ...knownHosts,
          ...(to.fingerprint !== undefined && { fingerprint: to.fingerprint }),
          ...(to.isTrusted && { trustOnFirstUse: {} }),
        },
        signal,
      });
    },
    wake: (mac) => wakeOnLan(mac),
    openFactory: (url) => connectFactory({ url, dial, clock, calls }),
    openS3: async ({ bucket, endpoint, region, accessKey, secretKey, tls }, from) =>
      connectS3({
        ...{ bucket, endpoint, region, dial, clock, wall: realClock, calls },
        accessKey: await findSecret(accessKey, `the access key of bucket "${bucket}"`),
        secretKey: await findSecret(secretKey, `the secret key of bucket "${bucket}"`),
        trust: await readTrust(tls, { name: bucket }, from),
      }),
    openHelm: helmOnThisMachine({ env: options.env, folder, stop: options.stop, calls }),
    filesInGit: git.filesInGit,
    fetchText: (url) => fetchText(url, options.stop),
    fetchFile: (url, into, onProgress) => fetchFile(url, into, { stop: options.stop, onProgress }),
    cacheFolder: cacheFolder(options.env),
  };
  return world;
}

/** Logs a person in, for what no token may do. The password is used once and kept nowhere. */
export async function loginAs(
  host: ProxmoxHost,
  person: { user: string; password: string },
  {
    env,
    ask,
    stop,
    calls,
    redaction = new Redaction(),
    simulated: { clock, dial } = thisComputer,
  }: Pick<RealWorldOptions, "env" | "ask" | "stop" | "calls" | "redaction" | "simulated">,
): Promise<ProxmoxSession> {
  const { url, tls } = host.proxmox;
  const trust = await readTrust(tls, host, path.dirname(host.at.file));
  const { dialOver } = openJumpHosts({
    env,
    settings: sshSettings(env, ask, calls),
    dial,
    resolveSecret: (ref, what) =>
      resolveSecret(ref, what, { env, folder: path.dirname(host.at.file), redaction }),
  });
  return loginProxmox({ url, trust, dial: dialOver(host.jump), clock, calls, ...person }, stop);
}

async function openProxmox(
  host: ProxmoxHost,
  options: Pick<RealWorldOptions, "env"> & Pick<World, "calls" | "redaction"> & { keys: AgeKeys },
  clock: Clock,
  dial: Dial,
): Promise<ProxmoxClient> {
  const { url, token, tls } = host.proxmox;
  const { env, keys, calls, redaction } = options;
  const folder = path.dirname(host.at.file);
  const whose = `the API token of host "${host.name}"`;
  return connectProxmox({
    url,
    token: {
      id: token.id,
      secret: await resolveSecret(token.secret, whose, { env, folder, keys, redaction }),
    },
    trust: await readTrust(tls, host, folder),
    dial,
    clock,
    calls,
    onCall: tellingProxmoxCalls(calls, host.name),
  });
}

/** Calls of a client of Proxmox, told like those of all others, under the name that the host has in the file. */
export const tellingProxmoxCalls =
  (calls: CallTrace, host: string): NonNullable<ProxmoxOptions["onCall"]> =>
  ({ method, path: called, status, ms }) =>
    calls.tell({ protocol: "proxmox", to: host, call: `${method} ${called}`, ms, outcome: String(status) });

async function readTrust(
  tls: TlsTrust,
  host: Pick<Host, "name"> & Partial<Pick<Host, "at">>,
  folder: string,
): Promise<Trust> {
  if (!("caFile" in tls)) return tls;
  const file = path.resolve(folder, tls.caFile);
  const ca = await readFile(file, "utf8").catch((cause: unknown) => {
    throw caFileUnreadable({ host: host.name, file: tls.caFile, at: host.at, cause });
  });
  return { ca };
}
