import { createGrpcTransport } from "@connectrpc/connect-node";
import type { Dial } from "../../lib/index.ts";
import { createCaller, type Caller, type TalosCallOptions } from "./caller.ts";
import type { TalosIdentity, TalosMaintenance } from "./connect-tls.ts";
import * as etcd from "./etcd.ts";
import { badArchive } from "./errors.ts";
import { events, type TalosEvent } from "./events.ts";
import {
  ApplyConfigurationRequest_Mode,
  MachineService,
  RebootRequest_Mode,
  ResetRequest_WipeMode,
} from "./gen/machine_pb.ts";
import { readKubeconfigArchive } from "./kubeconfig-archive.ts";
import * as facts from "./node-facts.ts";
import * as resources from "./resources.ts";
import { TalosSession } from "./session.ts";

export interface TalosConnection {
  address: string;
  port?: number;
  dial: Dial;
  /** Either who we are in a cluster, or nobody, towards a node in maintenance mode. */
  identity?: TalosIdentity;
  maintenance?: TalosMaintenance;
  callTimeoutMs?: number;
}

export interface TalosVersion {
  /** Without the leading `v`. */
  version: string;
  platform: string;
  arch: string;
}

export type ApplyMode = "auto" | "no-reboot" | "reboot" | "staged" | "try";

export interface ApplyResult {
  mode: ApplyMode;
  details: string;
  warnings: string[];
}

export interface TalosService {
  id: string;
  state: string;
  /** Undefined while the service has not been asked yet. */
  isHealthy: boolean | undefined;
  lastMessage: string;
}

export interface ResetOptions extends TalosCallOptions {
  isGraceful: boolean;
  reboots: boolean;
  /** Labels such as `STATE` and `EPHEMERAL`; none means the whole system disk. */
  partitions?: string[];
}

/** All that Slipway asks of one Talos node. */
export type TalosClient = ReturnType<typeof connectTalos>;

const defaultCallTimeoutMs = 10_000;

/** Nothing is dialled until the first call; a cut connection is opened again by the next one. */
export function connectTalos(to: TalosConnection) {
  const { address, port = 50_000, callTimeoutMs = defaultCallTimeoutMs } = to;
  const session = new TalosSession({ ...to, port }, callTimeoutMs);
  const transport = createGrpcTransport({ baseUrl: session.authority, sessionManager: session });
  const caller = createCaller(transport, address, callTimeoutMs);
  return {
    address,
    version: (options?: TalosCallOptions) => version(caller, options),
    applyConfig: (data: string | Uint8Array, options?: ApplyOptions) => applyConfig(caller, data, options),
    bootstrap: (options?: TalosCallOptions) => bootstrap(caller, options),
    services: (options?: TalosCallOptions) => services(caller, options),
    kubeconfig: (options?: TalosCallOptions) => kubeconfig(caller, address, options),
    reboot: (options?: TalosCallOptions & { mode?: "default" | "powercycle" | "force" }) =>
      reboot(caller, options),
    shutdown: (options?: TalosCallOptions & { isForced?: boolean }) => shutdown(caller, options),
    reset: (options: ResetOptions) => reset(caller, options),
    upgrade: (image: string, options?: TalosCallOptions & { isStaged?: boolean; isForced?: boolean }) =>
      upgrade(caller, image, options),

    etcdMembers: (options?: TalosCallOptions) => etcd.etcdMembers(caller, options),
    etcdStatus: (options?: TalosCallOptions) => etcd.etcdStatus(caller, options),
    removeEtcdMember: (id: string, options?: TalosCallOptions) => etcd.removeEtcdMember(caller, id, options),
    leaveEtcd: (options?: TalosCallOptions) => etcd.leaveEtcd(caller, options),

    machineStatus: (options?: TalosCallOptions) => facts.machineStatus(caller, options),
    machineConfig: (options?: TalosCallOptions) => facts.machineConfig(caller, options),
    members: (options?: TalosCallOptions) => facts.members(caller, options),
    disks: (options?: TalosCallOptions) => facts.disks(caller, options),
    links: (options?: TalosCallOptions) => facts.links(caller, options),
    extensions: (options?: TalosCallOptions) => facts.extensions(caller, options),

    getResource: (kind: resources.ResourceKind, id: string, options?: TalosCallOptions) =>
      resources.getResource(caller, kind, id, options),
    listResources: (kind: resources.ResourceKind, options?: TalosCallOptions) =>
      resources.listResources(caller, kind, options),
    watchResources: (kind: resources.ResourceKind, options: TalosCallOptions & { id?: string } = {}) =>
      resources.watchResources(caller, kind, options.id, options),

    events: (options?: TalosCallOptions & { tail?: number; actorId?: string }): AsyncGenerator<TalosEvent> =>
      events(caller, options),
    logs: (id: string, options?: TalosCallOptions & { follows?: boolean; tailLines?: number }) =>
      logs(caller, id, options),
    dmesg: (options?: TalosCallOptions & { follows?: boolean }) => dmesg(caller, options),

    close: () => session.close(),
  };
}

type ApplyOptions = TalosCallOptions & { mode?: ApplyMode; isDryRun?: boolean };

const applyModes = {
  auto: ApplyConfigurationRequest_Mode.AUTO,
  "no-reboot": ApplyConfigurationRequest_Mode.NO_REBOOT,
  reboot: ApplyConfigurationRequest_Mode.REBOOT,
  staged: ApplyConfigurationRequest_Mode.STAGED,
  try: ApplyConfigurationRequest_Mode.TRY,
} satisfies Record<ApplyMode, ApplyConfigurationRequest_Mode>;

function version(caller: Caller, options: TalosCallOptions = {}): Promise<TalosVersion> {
  return caller.call(MachineService, "Version", options, async (client, o) => {
    const message = (await client.version({}, o)).messages[0];
    return {
      version: (message?.version?.tag ?? "").replace(/^v/, ""),
      platform: message?.platform?.name ?? "",
      arch: message?.version?.arch ?? "",
    };
  });
}

function applyConfig(
  caller: Caller,
  config: string | Uint8Array,
  options: ApplyOptions = {},
): Promise<ApplyResult> {
  const request = {
    data: typeof config === "string" ? Buffer.from(config) : config,
    mode: applyModes[options.mode ?? "auto"],
    dryRun: options.isDryRun ?? false,
  };
  return caller.call(MachineService, "ApplyConfiguration", options, async (client, o) => {
    const message = (await client.applyConfiguration(request, o)).messages[0];
    const chosen = Object.entries(applyModes).find(([, mode]) => mode === message?.mode)?.[0];
    return {
      mode: (chosen ?? "auto") as ApplyMode,
      details: message?.modeDetails ?? "",
      warnings: message?.warnings ?? [],
    };
  });
}

async function bootstrap(caller: Caller, options: TalosCallOptions = {}): Promise<void> {
  await caller.call(MachineService, "Bootstrap", options, (client, o) => client.bootstrap({}, o));
}

function services(caller: Caller, options: TalosCallOptions = {}): Promise<TalosService[]> {
  return caller.call(MachineService, "ServiceList", options, async (client, o) => {
    const found = (await client.serviceList({}, o)).messages[0]?.services ?? [];
    return found.map(({ id, state, health }) => ({
      id,
      state,
      isHealthy: health === undefined || health.unknown ? undefined : health.healthy,
      lastMessage: health?.lastMessage ?? "",
    }));
  });
}

async function kubeconfig(caller: Caller, address: string, options: TalosCallOptions = {}): Promise<string> {
  const archive = await caller.call(MachineService, "Kubeconfig", options, async (client, o) => {
    const parts: Uint8Array[] = [];
    for await (const { bytes } of client.kubeconfig({}, o)) parts.push(bytes);
    return Buffer.concat(parts);
  });
  const text = readKubeconfigArchive(archive);
  if (text === undefined) throw badArchive(address);
  return text;
}

const rebootModes = {
  default: RebootRequest_Mode.DEFAULT,
  powercycle: RebootRequest_Mode.POWERCYCLE,
  force: RebootRequest_Mode.FORCE,
} as const;

/** Returns the id that the events of this reboot carry. */
function reboot(
  caller: Caller,
  options: TalosCallOptions & { mode?: keyof typeof rebootModes } = {},
): Promise<string> {
  const mode = rebootModes[options.mode ?? "default"];
  return caller.call(MachineService, "Reboot", options, async (client, o) => {
    return (await client.reboot({ mode }, o)).messages[0]?.actorId ?? "";
  });
}

function shutdown(caller: Caller, options: TalosCallOptions & { isForced?: boolean } = {}): Promise<string> {
  return caller.call(MachineService, "Shutdown", options, async (client, o) => {
    return (await client.shutdown({ force: options.isForced ?? false }, o)).messages[0]?.actorId ?? "";
  });
}

function reset(caller: Caller, options: ResetOptions): Promise<string> {
  const request = {
    graceful: options.isGraceful,
    reboot: options.reboots,
    systemPartitionsToWipe: (options.partitions ?? []).map((label) => ({ label, wipe: true })),
    mode: ResetRequest_WipeMode.ALL,
  };
  return caller.call(MachineService, "Reset", options, async (client, o) => {
    return (await client.reset(request, o)).messages[0]?.actorId ?? "";
  });
}

function upgrade(
  caller: Caller,
  image: string,
  options: TalosCallOptions & { isStaged?: boolean; isForced?: boolean } = {},
): Promise<string> {
  const request = {
    image,
    preserve: true,
    stage: options.isStaged ?? false,
    force: options.isForced ?? false,
  };
  return caller.call(MachineService, "Upgrade", options, async (client, o) => {
    return (await client.upgrade(request, o)).messages[0]?.actorId ?? "";
  });
}

async function* logs(
  caller: Caller,
  id: string,
  options: TalosCallOptions & { follows?: boolean; tailLines?: number } = {},
): AsyncGenerator<Uint8Array> {
  const request = {
    namespace: "system",
    id,
    follow: options.follows ?? false,
    tailLines: options.tailLines ?? -1,
  };
  const parts = caller.stream(MachineService, "Logs", options, (client, o) => client.logs(request, o));
  for await (const { bytes } of parts) yield bytes;
}

async function* dmesg(
  caller: Caller,
  options: TalosCallOptions & { follows?: boolean } = {},
): AsyncGenerator<Uint8Array> {
  const request = { follow: options.follows ?? false, tail: false };
  const parts = caller.stream(MachineService, "Dmesg", options, (client, o) => client.dmesg(request, o));
  for await (const { bytes } of parts) yield bytes;
}
