import * as config from "./calls/apply-config.ts";
import * as etcd from "./calls/etcd.ts";
import * as snapshots from "./calls/etcd-snapshot.ts";
import * as images from "./calls/images.ts";
import * as logs from "./calls/logs.ts";
import * as machine from "./calls/machine.ts";
import * as facts from "./calls/node-facts.ts";
import * as power from "./calls/power.ts";
import * as resources from "./calls/resources.ts";
import { createGrpcTransport } from "@connectrpc/connect-node";
import {
  CallTrace,
  type Clock,
  type Dial,
  connectionText,
  limitTime,
  TimeLimitError,
} from "../../lib/index.ts";
import { createCaller, type TalosCallOptions as Options } from "./wire/caller.ts";
import {
  type TalosIdentity,
  type TalosMaintenance,
  isMaintenanceCertificate,
  openUnverified,
  spkiFingerprint,
} from "./wire/connect-tls.ts";
import { mostMessageBytes } from "./errors.ts";
import { events, type EventOptions } from "./calls/events.ts";
import { TalosSession, type Pings } from "./wire/session.ts";
import { unaryCalls } from "./wire/unary-calls.ts";
import { upgrade, type UpgradeOptions } from "./calls/upgrade.ts";
import { X509Certificate } from "node:crypto";

export interface TalosConnection {
  address: string;
  port?: number;
  dial: Dial;
  clock: Clock;
  /** Either who we are in a cluster, or nobody, towards a node in maintenance mode. */
  identity?: TalosIdentity;
  maintenance?: TalosMaintenance;
  /** Where calls are traced. Left out: nowhere. */
  calls?: CallTrace | undefined;
  callTimeoutMs?: number;
  stallTimeoutMs?: number;
  pings?: Pings;
}

/** All that Slipway asks of one Talos node. */
export type TalosClient = ReturnType<typeof connectTalos>;

const defaultCallTimeoutMs = 10_000;
const defaultStallTimeoutMs = 60_000;
const probeTimeoutMs = 5_000;

/** Nothing is dialled until the first call; a cut connection is opened again by the next one. */
export function connectTalos(to: TalosConnection) {
  const { address, port = 50_000, callTimeoutMs = defaultCallTimeoutMs } = to;
  const { stallTimeoutMs = defaultStallTimeoutMs, calls = new CallTrace() } = to;
  const session = new TalosSession({ ...to, port }, to.clock, callTimeoutMs, to.pings);
  const streams = createGrpcTransport({
    baseUrl: session.authority,
    sessionManager: session,
    // Talos never compresses.
    acceptCompression: [],
    readMaxBytes: mostMessageBytes,
  });
  const transport = { stream: streams.stream, unary: unaryCalls(session) };
  const caller = createCaller(transport, address, to.clock, calls, { callTimeoutMs, stallTimeoutMs });
  return {
    address,
    /** As `probeTalos`; the connection to a node of ours is kept for the calls that follow. */
    probe: (options: { signal?: AbortSignal } = {}) =>
      probeOver(session, { ...to, osCa: to.identity?.ca, ...options }),
    version: (options?: Options) => machine.version(caller, options),
    hostname: (options?: Options) => machine.hostname(caller, options),
    services: (options?: Options) => machine.services(caller, options),
    restartService: (id: string, options?: Options) => machine.restartService(caller, id, options),
    memory: (options?: Options) => machine.memory(caller, options),
    time: (options?: Options & { server?: string }) => machine.time(caller, options),
    bootId: (options?: Options) => machine.bootId(caller, options),
    readFile: (path: string, options?: Options) => machine.readFile(caller, path, options),
    kubeconfig: (options?: Options) => machine.kubeconfig(caller, address, options),

    applyConfig: (data: string | Uint8Array, options?: config.ApplyOptions) =>
      config.applyConfig(caller, data, options),
    bootstrap: (options?: machine.BootstrapOptions) => machine.bootstrap(caller, options),
    reboot: (options?: Options & { mode?: power.RebootMode }) => power.reboot(caller, options),
    shutdown: (options?: Options & { isForced?: boolean }) => power.shutdown(caller, options),
    reset: (options: power.ResetOptions) => power.reset(caller, options),
    rollback: (options?: Options) => power.rollback(caller, options),
    upgrade: (image: string, options?: UpgradeOptions) => upgrade(caller, image, options),
    pullImage: (reference: string, options?: images.PullOptions) =>
      images.pullImage(caller, reference, options),
    images: (options?: Options & { namespace?: images.ImageNamespace }) => images.images(caller, options),

    etcdMembers: (options?: Options & { isLocal?: boolean }) => etcd.etcdMembers(caller, options),
    etcdStatus: (options?: Options) => etcd.etcdStatus(caller, options),
    removeEtcdMember: (id: string, options?: Options) => etcd.removeEtcdMember(caller, id, options),
    leaveEtcd: (options?: Options) => etcd.leaveEtcd(caller, options),
    forfeitEtcdLeadership: (options?: Options) => etcd.forfeitEtcdLeadership(caller, options),
    etcdAlarms: (options?: Options) => etcd.etcdAlarms(caller, options),
    disarmEtcdAlarms: (options?: Options) => etcd.disarmEtcdAlarms(caller, options),
    defragmentEtcd: (options?: Options) => etcd.defragmentEtcd(caller, options),
    etcdSnapshot: (options?: Options) => snapshots.etcdSnapshot(caller, options),
    recoverEtcd: (snapshot: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, options?: Options) =>
      snapshots.recoverEtcd(caller, snapshot, options),

    machineStatus: (options?: Options) => facts.machineStatus(caller, options),
    machineConfig: (options?: Options) => facts.machineConfig(caller, options),
    members: (options?: Options) => facts.members(caller, options),
    disks: (options?: Options) => facts.disks(caller, options),
    systemDisk: (options?: Options) => facts.systemDisk(caller, options),
    links: (options?: Options) => facts.links(caller, options),
    addresses: (options?: Options) => facts.addresses(caller, options),
    extensions: (options?: Options) => facts.extensions(caller, options),

    getResource: (kind: resources.ResourceKind, id: string, options?: Options) =>
      resources.getResource(caller, kind, id, options),
    listResources: (kind: resources.ResourceKind, options?: resources.ListOptions) =>
      resources.listResources(caller, kind, options),
    watchResources: (kind: resources.ResourceKind, options: Options & { id?: string } = {}) =>
      resources.watchResources(caller, kind, options.id, options),

    events: (options?: EventOptions) => events(caller, options),
    logs: (id: string, options?: logs.LogOptions) => logs.logs(caller, id, options),
    dmesg: (options?: Options & { follows?: boolean; isTail?: boolean }) => logs.dmesg(caller, options),

    close: () => session.close(),
  };
}

/**
 * unreachable: no answer · maintenance: waits for its first config · ours: has a config of our cluster ·
 * other-cluster: has a config, but not ours; never touch it.
 */
export type TalosProbe =
  | { state: "unreachable"; reason: string }
  | { state: "maintenance"; fingerprint: string }
  | { state: "ours" }
  | { state: "other-cluster" };

export interface ProbeTarget {
  address: string;
  port?: number;
  dial: Dial;
  clock: Clock;
  /** Our cluster's Talos authority, PEM, or all it trusts one after the other. Without it no configured node is ours. */
  osCa?: string | undefined;
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** Tells the state of a node from its certificate alone; nothing is sent to it. */
export async function probeTalos(to: ProbeTarget): Promise<TalosProbe> {
  const { address, port = 50_000, timeoutMs = probeTimeoutMs } = to;
  let certificate: X509Certificate | undefined;
  try {
    certificate = await limitTime(
      to.clock,
      timeoutMs,
      noAnswerWithin(timeoutMs),
      to.signal,
      async (signal) => {
        const socket = await openUnverified({ address, port, dial: to.dial }, signal);
        const found = socket.getPeerX509Certificate();
        socket.destroy();
        return found;
      },
    );
  } catch (error) {
    if (to.signal?.aborted) throw to.signal.reason as Error;
    return { state: "unreachable", reason: connectionText(error) };
  }
  if (certificate === undefined) return { state: "unreachable", reason: "no certificate" };
  if (isMaintenanceCertificate(certificate)) {
    return { state: "maintenance", fingerprint: spkiFingerprint(certificate) };
  }
  const authorities = to.osCa?.match(/-----BEGIN CERTIFICATE-----[^]+?-----END CERTIFICATE-----/g) ?? [];
  const isOurs = authorities.some((pem) => isIssuedBy(certificate, new X509Certificate(pem)));
  return { state: isOurs ? "ours" : "other-cluster" };
}

/** Who shows a certificate that holds is ours, and the usual case; of all others a look at theirs tells what they are. */
async function probeOver(session: TalosSession, to: ProbeTarget): Promise<TalosProbe> {
  const { timeoutMs = probeTimeoutMs } = to;
  if (to.osCa === undefined) return probeTalos(to);
  try {
    await limitTime(to.clock, timeoutMs, noAnswerWithin(timeoutMs), to.signal, () => session.open());
    return { state: "ours" };
  } catch (error) {
    if (to.signal?.aborted) throw to.signal.reason as Error;
    if (error instanceof TimeLimitError) return { state: "unreachable", reason: error.message };
    return probeTalos(to);
  }
}

const noAnswerWithin = (timeoutMs: number): string => `no answer within ${timeoutMs} ms`;

const isIssuedBy = (certificate: X509Certificate, authority: X509Certificate): boolean =>
  certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
