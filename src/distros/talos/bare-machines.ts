import { resourceKinds, type TalosClient, type TalosDisk } from "../../clients/talos/index.ts";
import { limitTime, unlessEmpty } from "../../lib/index.ts";
import type {
  BareMachineLook,
  BareMachines,
  MachineDisk,
  MachineHardware,
  Release,
  Seen,
  StepContext,
} from "../../plan/index.ts";
import { talosOf, type Cluster, type ExistingMachine } from "../../spec/index.ts";
import { unlessUnreachable } from "../kubernetes/index.ts";
import { resetRefused } from "./errors.ts";
import type { TalosAccess } from "./talos-access.ts";

const resetWait = { deadlineMs: 15 * 60_000, usualMs: 90_000, everyMs: 2_000 };
/** What runs in a container of somebody's is installed already, on no disk of its own. */
export const containerPlatform = "container";

/** Machines that wait for a config, or have one: how they are told apart, and given back. */
export const talosBareMachines = (access: TalosAccess): BareMachines => ({
  wanted: "Talos in maintenance mode",
  howToBegin: ({ name }) => `Start it from the ISO or over the network: slipway image ${name} shows both`,
  look: (machine, clusters, signal) => look(access, machine, clusters, signal),
  release: (ctx, machine, release) => reset(access, ctx, machine, release),
});

async function look(
  access: TalosAccess,
  machine: ExistingMachine,
  clusters: Cluster[],
  signal: AbortSignal,
): Promise<BareMachineLook> {
  const [first] = clusters;
  if (!first) return { state: "unreachable", why: "no cluster of the file leads to it" };
  const { address } = machine;
  for (const cluster of clusters) {
    const probe = await access.probe(cluster.name, address, signal);
    if (probe.state === "unreachable") return elsewhere(access, first, address, probe.reason, signal);
    if (probe.state === "maintenance") return waiting(access, first, address, probe.fingerprint, signal);
    if (probe.state === "ours")
      return access.using(cluster.name, address, (node) => running(access, node, cluster, signal));
  }
  return { state: "foreign", why: "its certificate was issued by the authority of another cluster" };
}

/** Whether anything else is there that a person would take for the machine. */
async function elsewhere(
  access: TalosAccess,
  { name }: Cluster,
  host: string,
  why: string,
  signal: AbortSignal,
): Promise<BareMachineLook> {
  const { dial, clock } = access.route(name);
  const port = 22;
  try {
    const socket = await limitTime(clock, 2_000, "no answer", signal, (limit) => dial({ host, port }, limit));
    socket.destroy();
    return {
      state: "other",
      why: `port 50000 is closed (${why}), while SSH answers: it runs another system`,
    };
  } catch {
    signal.throwIfAborted();
    return { state: "unreachable", why };
  }
}

async function waiting(
  access: TalosAccess,
  cluster: Cluster,
  address: string,
  fingerprint: string,
  signal: AbortSignal,
): Promise<BareMachineLook> {
  const node = access.openMaintenance(cluster.name, address, fingerprint);
  try {
    const told = await hardwareOf(access, node, signal);
    const misfit = misfitOf(cluster, told);
    return {
      state: "free",
      software: told.version === undefined ? "Talos" : `Talos ${told.version}`,
      fingerprint,
      hardware: told.hardware,
      misfit,
      needsNoDisk: told.platform === containerPlatform || undefined,
    };
  } finally {
    node.close();
  }
}

async function running(
  access: TalosAccess,
  node: TalosClient,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<BareMachineLook> {
  const [told, config] = await Promise.all([
    hardwareOf(access, node, signal),
    unlessUnreachable({ clock: access.world.clock, signal }, (limit) =>
      node.machineConfig({ signal: limit }),
    ),
  ]);
  const known = cluster.nodes.find(({ address }) => address === node.address)?.role;
  const isControlPlane = /^ {2,4}type: controlplane\b/m.test(config ?? "");
  return {
    state: "ours",
    cluster: cluster.name,
    role: config === undefined && known ? known : isControlPlane ? "control-plane" : "worker",
    hardware: told.hardware,
    needsNoDisk: told.platform === containerPlatform || undefined,
  };
}

interface Told {
  hardware: MachineHardware;
  version?: string | undefined;
  platform?: string | undefined;
  /** The system is on a disk already: its version is the one the node will run. */
  isInstalled: boolean;
}

/** Older ones answer only some of these questions while they wait for a config. */
async function hardwareOf(access: TalosAccess, node: TalosClient, signal: AbortSignal): Promise<Told> {
  const limits = { clock: access.world.clock, signal };
  const ask = <T>(question: (limit: AbortSignal) => Promise<T>) => unlessUnreachable(limits, question);
  const [version, disks, system, volumes = [], links = [], memory, time, processors = []] = await Promise.all(
    [
      ask((limit) => node.version({ signal: limit })),
      ask((limit) => node.disks({ signal: limit })),
      ask((limit) => node.systemDisk({ signal: limit })),
      ask((limit) => node.listResources(resourceKinds.discoveredVolumes, { signal: limit })),
      ask((limit) => node.links({ signal: limit })),
      ask((limit) => node.memory({ signal: limit })),
      ask((limit) => node.time({ signal: limit })),
      ask((limit) => node.listResources(resourceKinds.processors, { signal: limit })),
    ],
  );
  const media = volumes.flatMap(({ id, spec }) => {
    const { name, parent } = spec as { name?: string; parent?: string };
    return name === "iso9660" ? [id, ...(parent ? [parent] : [])] : [];
  });
  const cores = processors.reduce((sum, { spec }) => sum + (threadsOf(spec) ?? 0), 0);
  return {
    version: version?.version,
    platform: version?.platform,
    isInstalled: system !== undefined,
    hardware: {
      macs: links
        .filter(({ type }) => type === "ether")
        .flatMap(({ mac, permanentMac }) => [mac, permanentMac])
        .filter((mac) => mac !== "")
        .map((mac) => mac.toLowerCase()),
      // What a container sees are the disks of the machine below it.
      disks:
        version?.platform === containerPlatform
          ? undefined
          : disks?.flatMap((disk) => diskOf(disk, system, media)),
      memoryMiB: memory?.totalMiB || undefined,
      cores: cores || undefined,
      clockAheadMs: time && time.localMs - time.remoteMs,
    },
  };
}

const diskOf = (
  { id, path, sizeBytes, model, isReadOnly, isCdrom }: TalosDisk,
  system: string | undefined,
  media: string[],
): MachineDisk[] => {
  if (isCdrom) return [];
  const isBootMedium = isReadOnly || media.includes(id);
  const sizeGiB = Math.floor(sizeBytes / 2 ** 30);
  const disk = { path, sizeGiB, model };
  return [{ ...disk, ...(id === system && { isSystem: true }), ...(isBootMedium && { isBootMedium }) }];
};

const threadsOf = (spec: unknown): number | undefined =>
  (spec as { threadCount?: number; coreCount?: number }).threadCount ??
  (spec as { coreCount?: number }).coreCount;

/** From an ISO the installer decides what is installed; a system that is installed stays what it is. */
function misfitOf(cluster: Cluster, { version, isInstalled }: Told): string | undefined {
  const wanted = talosOf(cluster).version;
  if (version === undefined || version === wanted) return undefined;
  if (isInstalled) return `Talos ${version} is installed on it, and the file says ${wanted}`;
  const [minor, wantedMinor] = [version, wanted].map((each) => Number(each.split(".")[1]));
  return minor === wantedMinor
    ? undefined
    : `it was started with Talos ${version}, which may not understand a config for ${wanted}`;
}

/** The system stays on its disk, without a config and without data: it waits for its next cluster. */
async function reset(
  access: TalosAccess,
  ctx: StepContext,
  { name, address }: ExistingMachine,
  { cluster, losesData, dataDisks }: Release,
): Promise<void> {
  await access.using(cluster.name, address, async (node) => {
    const { platform } = await node.version();
    return node.reset({
      // Its pods have moved, or the whole cluster goes: nobody is left to be told.
      isGraceful: false,
      reboots: true,
      // A container has no partitions, and refuses to wipe one: it ends, and who runs it starts it anew.
      partitions: platform === containerPlatform ? undefined : ["STATE", "EPHEMERAL"],
      userDisks: losesData ? unlessEmpty(dataDisks) : undefined,
    });
  });
  let hasLeft = false;
  const startedAt = ctx.clock.now();
  await ctx.waitFor(
    { what: `${name} to be back in maintenance mode`, probe: "tls", ...resetWait },
    async (signal): Promise<Seen<true>> => {
      const probe = await access.probe(cluster.name, address, signal);
      if (probe.state === "maintenance") return { done: true, value: true };
      hasLeft ||= probe.state === "unreachable";
      if (!hasLeft && ctx.clock.now() - startedAt > stayMs)
        throw resetRefused({ node: name, address, cluster: cluster.name });
      return {
        done: false,
        seen: probe.state === "unreachable" ? probe.reason : "it still runs with its config",
      };
    },
  );
}

/** A node leaves within a minute after it has agreed. */
const stayMs = 5 * 60_000;
