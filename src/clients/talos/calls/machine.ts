import { timestampMs, type Timestamp } from "@bufbuild/protobuf/wkt";
import type { Caller, TalosCallOptions } from "../wire/caller.ts";
import { answerTooLarge, badArchive, hasCode, mostMessageBytes, unavailable } from "../errors.ts";
import { MachineService } from "../gen/machine_pb.ts";
import { TimeService } from "../gen/time_pb.ts";
import { onlyMessage } from "../wire/only-message.ts";
import { getResource, resourceKinds } from "./resources.ts";
import { parseTalosVersion } from "./talos-version.ts";
import { constants, gunzipSync } from "node:zlib";

export interface TalosVersion {
  /** Without the leading `v`. */
  version: string;
  platform: string;
  arch: string;
}

export interface TalosService {
  id: string;
  state: string;
  /** Undefined while the service has not been asked yet. */
  isHealthy: boolean | undefined;
  /** What its health check said last; empty before the first. */
  lastMessage: string;
  /** What it went through last, in the node's words: `Running pre state`. */
  lastEvent: string;
  /** When that was, in milliseconds since 1970 by the node's clock. */
  lastEventMs: number | undefined;
}

export interface TalosMemory {
  totalMiB: number;
  availableMiB: number;
}

/** The node's clock beside a time server's, in milliseconds since 1970. */
export interface TalosTime {
  server: string;
  localMs: number;
  remoteMs: number;
}

export interface BootstrapOptions extends TalosCallOptions {
  /** Start etcd from the snapshot that `recoverEtcd()` sent to this node. */
  recoversEtcd?: boolean;
  /** For a database file copied from a disk, which has no checksum at its end. */
  skipsHashCheck?: boolean;
}

export function version(caller: Caller, options: TalosCallOptions = {}): Promise<TalosVersion> {
  return caller.call(MachineService, "Version", options, async (client, o) => {
    const message = onlyMessage(await client.version({}, o));
    return {
      version: (message?.version?.tag ?? "").replace(/^v/, ""),
      platform: message?.platform?.name ?? "",
      arch: message?.version?.arch ?? "",
    };
  });
}

/** Once in a cluster's life, on one control plane. Answers before etcd runs. */
export async function bootstrap(caller: Caller, options: BootstrapOptions = {}): Promise<void> {
  const request = {
    recoverEtcd: options.recoversEtcd ?? false,
    recoverSkipHashCheck: options.skipsHashCheck ?? false,
  };
  await caller.call(MachineService, "Bootstrap", options, async (client, o) =>
    onlyMessage(await client.bootstrap(request, o)),
  );
}

export function hostname(caller: Caller, options: TalosCallOptions = {}): Promise<string> {
  return caller.call(
    MachineService,
    "Hostname",
    options,
    async (client, o) => onlyMessage(await client.hostname({}, o))?.hostname ?? "",
  );
}

export function services(caller: Caller, options: TalosCallOptions = {}): Promise<TalosService[]> {
  return caller.call(MachineService, "ServiceList", options, async (client, o) => {
    const found = onlyMessage(await client.serviceList({}, o))?.services ?? [];
    return found.map(({ id, state, health, events }) => ({
      id,
      state,
      isHealthy: health === undefined || health.unknown ? undefined : health.healthy,
      lastMessage: health?.lastMessage ?? "",
      lastEvent: events?.events.at(-1)?.msg ?? "",
      lastEventMs: timeOf(events?.events.at(-1)?.ts),
    }));
  });
}

const timeOf = (at: Timestamp | undefined): number | undefined => at && timestampMs(at);

export async function restartService(
  caller: Caller,
  id: string,
  options: TalosCallOptions = {},
): Promise<void> {
  await caller.call(MachineService, "ServiceRestart", options, async (client, o) =>
    onlyMessage(await client.serviceRestart({ id }, o)),
  );
}

export function memory(caller: Caller, options: TalosCallOptions = {}): Promise<TalosMemory> {
  return caller.call(MachineService, "Memory", options, async (client, o) => {
    const info = onlyMessage(await client.memory({}, o))?.meminfo;
    const mebibytes = (kibibytes = 0n) => Number(kibibytes / 1024n);
    return { totalMiB: mebibytes(info?.memtotal), availableMiB: mebibytes(info?.memavailable) };
  });
}

/** Asks the node to compare its clock, with the time server it uses or the one named. */
export function time(
  caller: Caller,
  options: TalosCallOptions & { server?: string } = {},
): Promise<TalosTime> {
  const { server } = options;
  return caller.call(TimeService, server === undefined ? "Time" : "TimeCheck", options, async (client, o) => {
    const answer = server === undefined ? await client.time({}, o) : await client.timeCheck({ server }, o);
    const found = onlyMessage(answer);
    return {
      server: found?.server ?? "",
      localMs: found?.localtime ? timestampMs(found.localtime) : 0,
      remoteMs: found?.remotetime ? timestampMs(found.remotetime) : 0,
    };
  });
}

export async function kubeconfig(
  caller: Caller,
  address: string,
  options: TalosCallOptions = {},
): Promise<string> {
  const archive = await caller.call(MachineService, "Kubeconfig", options, (client, o) =>
    joinBytes(`read the kubeconfig of ${address}`, address, client.kubeconfig({}, o)),
  );
  const text = readKubeconfigArchive(archive);
  if (text === undefined) throw badArchive(address);
  return text;
}

/** A file of the node, whole. For administrators only. */
export function readFile(caller: Caller, path: string, options: TalosCallOptions = {}): Promise<Buffer> {
  return caller.call(MachineService, "Read", options, (client, o) =>
    joinBytes(`read ${path} of ${caller.address}`, caller.address, client.read({ path }, o)),
  );
}

/** Another after every boot. A resource from Talos 1.14 on, a file before that. */
export async function bootId(caller: Caller, options: TalosCallOptions = {}): Promise<string> {
  const { minor } = parseTalosVersion((await version(caller, options)).version);
  if (minor < 14) return (await readBootId(caller, options)).toString("utf8").trim();
  const resource = await getResource(caller, resourceKinds.bootId, "boot-id", options);
  const spec = resource?.spec;
  if (typeof spec === "string") return spec;
  return (spec as { bootID?: string } | undefined)?.bootID ?? "";
}

async function readBootId(caller: Caller, options: TalosCallOptions): Promise<Buffer> {
  const file = "/proc/sys/kernel/random/boot_id";
  try {
    return await readFile(caller, file, options);
  } catch (cause) {
    if (!hasCode(cause, "TALOS_NOT_FOUND")) throw cause;
    const { address } = caller;
    // Every running Linux has the file; one that is being torn down has lost it before it stops to answer.
    throw unavailable({ doing: `read ${file} of ${address}`, address, reason: "it is going down", cause });
  }
}

async function joinBytes(
  doing: string,
  address: string,
  parts: AsyncIterable<{ bytes: Uint8Array }>,
): Promise<Buffer> {
  const all: Uint8Array[] = [];
  let length = 0;
  for await (const { bytes } of parts) {
    length += bytes.length;
    if (length > mostMessageBytes) throw answerTooLarge({ doing, address });
    all.push(bytes);
  }
  return Buffer.concat(all);
}

const headerBytes = 512;
/** Real ones have a few kilobytes. */
const mostBytes = 4 * 1024 ** 2;

/**
 * The one file in the archive of the Kubeconfig call. Talos never finishes that archive: neither padding nor end blocks
 * follow the file, so an ordinary tar reader fails.
 */
export function readKubeconfigArchive(archive: Uint8Array): string | undefined {
  const tar = unzip(archive);
  if (tar === undefined) return undefined;
  if (tar.length < headerBytes) return undefined;
  const size = Number.parseInt(tar.toString("latin1", 124, 136).replaceAll("\0", "").trim(), 8);
  if (Number.isNaN(size) || tar.length < headerBytes + size) return undefined;
  return tar.toString("utf8", headerBytes, headerBytes + size);
}

/** Undefined for what is no archive, and for a small one that wants to become a large one. */
function unzip(archive: Uint8Array): Buffer | undefined {
  try {
    return gunzipSync(archive, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: mostBytes });
  } catch {
    return undefined;
  }
}
