import type { Cluster } from "./cluster.ts";
import { haStateOf, isQueued, requestedState, resourceOf, sidOf } from "./ha.ts";
import { isOnline } from "./quorum.ts";
import type { Vm } from "./state.ts";
import { drivesOf, systemDisk } from "./vm-config.ts";
import { parseSize } from "./vm-disks.ts";
import { coresOf, memoryMiB, nicsOf } from "./vm-hardware.ts";

const uptimeSeconds = (cluster: Cluster, vm: Vm): number =>
  vm.running ? Math.floor((cluster.clock.now() - vm.running.startedAt) / 1000) : 0;

export const shownName = (vm: Vm): string => String(vm.config["name"] ?? `VM ${vm.vmid}`);

function diskBytes(vm: Vm): number {
  const slot = systemDisk(vm.config);
  const size = drivesOf(vm.config).find((drive) => drive.slot === slot)?.drive["size"];
  return size === undefined ? 0 : parseSize(size);
}

const isTemplate = (vm: Vm): boolean => Number(vm.config["template"] ?? 0) === 1;

/** A row of a node's list of machines. */
export function listView(cluster: Cluster, vm: Vm): Record<string, unknown> {
  const { config, running } = vm;
  const isNine = cluster.version === 9;
  return {
    vmid: vm.vmid,
    name: shownName(vm),
    status: running ? "running" : "stopped",
    cpus: coresOf(config),
    cpu: 0,
    maxmem: memoryMiB(config) * 2 ** 20,
    mem: 0,
    maxdisk: diskBytes(vm),
    disk: 0,
    netin: 0,
    netout: 0,
    uptime: uptimeSeconds(cluster, vm),
    ...(isNine && { memhost: 0 }),
    ...(running && { pid: running.pid }),
    ...(running && isNine && pressure),
    ...(config["tags"] !== undefined && { tags: config["tags"] }),
    ...(config["lock"] !== undefined && { lock: config["lock"] }),
    ...(Object.keys(config).some((key) => /^serial\d$/.test(key)) && { serial: 1 }),
    ...(isTemplate(vm) && { template: 1 }),
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

export const qmpStatus = (vm: Vm): string =>
  vm.running ? (vm.running.isPaused ? "paused" : "running") : "stopped";

/** What a machine's own status call tells. */
export function currentView(cluster: Cluster, vm: Vm): Record<string, unknown> {
  const { config } = vm;
  const nics = nicsOf(config).map(({ slot }) => [`tap${vm.vmid}i${slot.slice(3)}`, { netin: 0, netout: 0 }]);
  return {
    ...listView(cluster, vm),
    qmpstatus: qmpStatus(vm),
    ha: haView(cluster, vm),
    ...(config["agent"] !== undefined && hasAgent(vm) && { agent: 1 }),
    ...(config["vga"] !== undefined && { clipboard: null }),
    ...(vm.running && nics.length > 0 && { nics: Object.fromEntries(nics) as unknown }),
  };
}

/** Before the manager's first visit nothing is known but that it will come. */
function haView(cluster: Cluster, vm: Vm): Record<string, unknown> {
  const resource = resourceOf(cluster, vm.vmid);
  if (!resource) return { managed: 0 };
  const state = isQueued(cluster, resource) ? null : haStateOf(cluster, sidOf(vm.vmid), resource);
  return { managed: 1, state, ...(cluster.version === 8 && { group: resource.group ?? null }) };
}

export const hasAgent = (vm: Vm): boolean => /^(?:enabled=)?1/.test(String(vm.config["agent"] ?? "0"));

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
    ...(vm.config["tags"] !== undefined && { tags: vm.config["tags"] }),
    ...(vm.config["lock"] !== undefined && { lock: vm.config["lock"] }),
    ...(resource && { hastate: requestedState(resource) }),
  };
  if (vm.createdAt > lastRound || !isOnline(cluster, vm.node)) return { ...fresh, status: "unknown" };
  const wasRunning = vm.powerChangedAt > lastRound ? !vm.running : vm.running !== undefined;
  return {
    ...fresh,
    name: shownName(vm),
    status: wasRunning ? "running" : "stopped",
    template: isTemplate(vm) ? 1 : 0,
    maxcpu: coresOf(vm.config),
    cpu: 0,
    maxmem: memoryMiB(vm.config) * 2 ** 20,
    mem: 0,
    maxdisk: diskBytes(vm),
    disk: 0,
    diskread: 0,
    diskwrite: 0,
    netin: 0,
    netout: 0,
    uptime: wasRunning ? uptimeSeconds(cluster, vm) : 0,
    ...(cluster.version === 9 && { memhost: 0 }),
  };
}
