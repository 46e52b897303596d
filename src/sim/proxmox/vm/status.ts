import type { Cluster } from "../cluster.ts";
import { haStateOf, isQueued, requestedState, resourceOf, sidOf } from "../ha/ha.ts";
import { isOnline } from "../nodes/quorum.ts";
import type { Vm } from "../state.ts";
import { bootOrder, drivesOf, isCdrom, parseValue } from "./config/config.ts";
import { parseSize } from "./config/disks.ts";
import { coresOf, memoryMiB, nicsOf } from "./config/hardware.ts";

const uptimeSeconds = (cluster: Cluster, vm: Vm): number =>
  vm.running ? Math.floor((cluster.clock.now() - vm.running.startedAt) / 1000) : 0;

export const shownName = (vm: Vm): string => String(vm.config["name"] ?? `VM ${vm.vmid}`);

/** The first disk of the boot order; one that is not in it does not count. */
function diskBytes({ config }: Vm): number {
  const order = [...bootOrder(config), String(config["bootdisk"] ?? "")];
  const drives = new Map(drivesOf(config).map(({ slot, drive }) => [slot, drive]));
  const first = order.map((slot) => drives.get(slot)).find((drive) => drive && !isCdrom(drive));
  return first?.["size"] === undefined ? 0 : parseSize(first["size"]);
}

/** As many as the node has, but for what somebody says in as many words. */
function usableCores(cluster: Cluster, { node, config }: Vm): number {
  const most = cluster.file.nodes[node]?.cores ?? Infinity;
  return Number(config["vcpus"] ?? Math.min(coresOf(config), most));
}

const defaultShares = 1000;

/** The least memory a guest keeps, and its share of what there is to hand out. */
const balloonView = ({ config }: Vm): Record<string, unknown> =>
  Number(config["balloon"] ?? 0) > 0
    ? { balloon_min: Number(config["balloon"]) * 2 ** 20, shares: config["shares"] ?? defaultShares }
    : {};

const isTemplate = (vm: Vm): boolean => Number(vm.config["template"] ?? 0) === 1;

/** A row of a node's list of machines. */
export function listView(cluster: Cluster, vm: Vm): Record<string, unknown> {
  const { config, running } = vm;
  const isNine = cluster.version === 9;
  return {
    vmid: vm.vmid,
    name: shownName(vm),
    status: running ? "running" : "stopped",
    cpus: usableCores(cluster, vm),
    cpu: 0,
    maxmem: memoryMiB(config) * 2 ** 20,
    ...balloonView(vm),
    mem: 0,
    maxdisk: diskBytes(vm),
    disk: 0,
    netin: 0,
    netout: 0,
    uptime: uptimeSeconds(cluster, vm),
    memhost: isNine ? 0 : undefined,
    pid: running?.pid,
    ...(running && isNine && pressure),
    tags: config["tags"],
    lock: config["lock"],
    serial: Object.keys(config).some((key) => /^serial\d$/.test(key)) ? 1 : undefined,
    template: isTemplate(vm) ? 1 : undefined,
  };
}

const pressure = {
  pressurecpufull: 0,
  pressurecpusome: 0,
  pressureiofull: 0,
  pressureiosome: 0,
  pressurememoryfull: 0,
  pressurememorysome: 0,
};

const qmpStatus = (vm: Vm): string => (vm.running ? (vm.running.isPaused ? "paused" : "running") : "stopped");

/** What only the emulator itself can tell. */
export function fullView(cluster: Cluster, vm: Vm): Record<string, unknown> {
  const nics = nicsOf(vm.config).map(({ slot }) => [
    `tap${vm.vmid}i${slot.slice(3)}`,
    { netin: 0, netout: 0 },
  ]);
  return {
    ...listView(cluster, vm),
    qmpstatus: qmpStatus(vm),
    nics: vm.running && nics.length > 0 ? (Object.fromEntries(nics) as unknown) : undefined,
  };
}

/** What a machine's own status call tells. */
export function currentView(cluster: Cluster, vm: Vm): Record<string, unknown> {
  const { config } = vm;
  const vga = config["vga"] === undefined ? undefined : parseValue("vga", config["vga"]);
  return {
    ...fullView(cluster, vm),
    ha: haView(cluster, vm),
    agent: config["agent"] !== undefined && hasAgent(vm) ? 1 : undefined,
    spice: /^(?:virtio|qxl)/.test(vga?.["type"] ?? "") ? 1 : undefined,
    clipboard: vga && (vga["clipboard"] ?? null),
  };
}

/** Before the manager's first visit nothing is known but that it will come. */
function haView(cluster: Cluster, vm: Vm): Record<string, unknown> {
  const resource = resourceOf(cluster, vm.vmid);
  if (!resource) return { managed: 0 };
  const state = isQueued(cluster, resource) ? null : haStateOf(cluster, sidOf(vm.vmid), resource);
  return { managed: 1, state, group: cluster.version === 8 ? (resource.group ?? null) : undefined };
}

export const hasAgent = (vm: Vm): boolean => /^(?:enabled=)?1/.test(String(vm.config["agent"] ?? "0"));

/** A guest at rest: some of its memory, a little of its cores, and no two quite alike. */
const loadOf = ({ vmid, config }: Vm): { cpu: number; mem: number } => ({
  cpu: 0.03 + (vmid % 10) / 100,
  mem: Math.floor((0.35 + (vmid % 10) / 50) * memoryMiB(config)) * 2 ** 20,
});

/** The daemon that gathers the numbers of all nodes runs this often. */
const daemonMs = 10_000;

/**
 * A machine in cluster-wide lists: names, power and numbers are as old as the last round of the status daemon, so a new
 * machine is `unknown` until then; number, node, tags and lock are always fresh.
 */
export function daemonView(cluster: Cluster, vm: Vm): Record<string, unknown> {
  const now = cluster.clock.now();
  const lastRound = now - ((now - cluster.state.bootedAt) % daemonMs);
  const resource = resourceOf(cluster, vm.vmid);
  const fresh = {
    type: "qemu",
    id: `qemu/${vm.vmid}`,
    vmid: vm.vmid,
    node: vm.node,
    tags: vm.config["tags"],
    lock: vm.config["lock"],
    hastate: resource ? requestedState(resource) : undefined,
  };
  if (vm.createdAt > lastRound || !isOnline(cluster, vm.node)) return { ...fresh, status: "unknown" };
  const wasRunning = vm.powerChangedAt > lastRound ? !vm.running : vm.running !== undefined;
  return {
    ...fresh,
    name: shownName(vm),
    status: wasRunning ? "running" : "stopped",
    template: isTemplate(vm) ? 1 : 0,
    maxcpu: usableCores(cluster, vm),
    maxmem: memoryMiB(vm.config) * 2 ** 20,
    ...(wasRunning ? loadOf(vm) : { cpu: 0, mem: 0 }),
    maxdisk: diskBytes(vm),
    disk: 0,
    diskread: 0,
    diskwrite: 0,
    netin: 0,
    netout: 0,
    uptime: wasRunning ? uptimeSeconds(cluster, vm) : 0,
    memhost: cluster.version === 9 ? 0 : undefined,
  };
}
