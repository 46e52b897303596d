import type { Cluster } from "./cluster.ts";
import type { GuestHardware } from "../guest.ts";
import { refusal } from "./api-error.ts";
import { seedOf } from "./cloud-init.ts";
import type { Vm } from "./state.ts";
import { findVolume } from "./storage.ts";
import {
  drivesOf,
  isCdrom,
  isCloudInit,
  isNic,
  parseValue,
  slotNumber,
  systemDisk,
  type Config,
} from "./vm-config.ts";
import { applyPending } from "./vm-pending.ts";

const defaultMemoryMiB = 512;

export const memoryMiB = (config: Config): number =>
  config["memory"] === undefined
    ? defaultMemoryMiB
    : Number(parseValue("memory", config["memory"])["current"] ?? defaultMemoryMiB);

export const coresOf = (config: Config): number =>
  Number(config["cores"] ?? 1) * Number(config["sockets"] ?? 1);

/** Switches a machine on: everything a hypervisor looks at before it hands over to the guest. */
export async function startVm(cluster: Cluster, vm: Vm, signal?: AbortSignal): Promise<void> {
  if (Number(vm.config["template"] ?? 0) === 1) throw refusal("you can't start a vm if it's a template");
  if (vm.running) throw refusal(`VM ${vm.vmid} already running`);
  applyPending(cluster, vm);
  demandStartable(cluster, vm);
  await cluster.clock.sleep(cluster.latencies.startMs, signal);
  bootVm(cluster, vm);
}

function demandStartable(cluster: Cluster, vm: Vm): void {
  const node = cluster.file.nodes[vm.node];
  const cores = coresOf(vm.config);
  if (node && cores > node.cores) throw refusal(`MAX ${node.cores} vcpus allowed per VM on this node`);
  if (node && memoryMiB(vm.config) * 2 ** 20 > node.memory) throw crashed();
  const files = [
    ...drivesOf(vm.config).map(({ file }) => file),
    ...Object.values(parseValue("cicustom", vm.config["cicustom"] ?? "")),
  ];
  for (const file of files) {
    if (file === "none" || file === "cdrom" || file.startsWith("/") || isCloudInit(file)) continue;
    if (!findVolume(cluster, file, vm.node)) throw refusal(`volume '${file}' does not exist`);
  }
  for (const [key, value] of Object.entries(vm.config)) {
    if (isNic(key)) demandBridge(cluster, vm, parseValue(key, value));
  }
}

function demandBridge(cluster: Cluster, vm: Vm, nic: Record<string, string>): void {
  const name = nic["bridge"];
  if (name === undefined) return;
  const bridge = cluster.file.nodes[vm.node]?.bridges[name];
  if (!bridge) throw cluster.version === 9 ? refusal(`bridge '${name}' does not exist`) : crashed();
  if (nic["tag"] !== undefined && bridge.ports.length === 0) throw crashed();
}

/** The reason stands in the log of the real server only. */
const crashed = () => refusal("start failed: QEMU exited with code 1");

/** Lets the guest run. Also used when the simulator itself starts again. */
export function bootVm(cluster: Cluster, vm: Vm): void {
  const now = cluster.clock.now();
  const power = { startedAt: now, pid: cluster.state.nextPid++, isPaused: false };
  vm.running = power;
  vm.powerChangedAt = now;
  const guest = cluster.boot(hardwareOf(cluster, vm), vm.disk, {
    powerOff: () => {
      if (vm.running !== power) return;
      cluster.guests.delete(vm.vmid);
      switchedOff(cluster, vm);
    },
    saved: () => cluster.changed(),
  });
  cluster.guests.set(vm.vmid, guest);
  cluster.changed();
}

function switchedOff(cluster: Cluster, vm: Vm): void {
  delete vm.running;
  vm.powerChangedAt = cluster.clock.now();
  applyPending(cluster, vm);
  cluster.changed();
}

/** Power goes away at once. */
export async function cutPower(cluster: Cluster, vm: Vm): Promise<void> {
  if (!vm.running) return;
  const guest = cluster.guests.get(vm.vmid);
  cluster.guests.delete(vm.vmid);
  switchedOff(cluster, vm);
  await guest?.stop();
}

const pollMs = 250;

/** Asks the guest to go down and waits; false when it has not gone by then. */
export async function shutDown(
  cluster: Cluster,
  vm: Vm,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  cluster.guests.get(vm.vmid)?.shutdown?.();
  const end = cluster.clock.now() + timeoutMs;
  while (vm.running) {
    if (cluster.clock.now() >= end) return false;
    await cluster.clock.sleep(pollMs, signal);
  }
  return true;
}

function hardwareOf(cluster: Cluster, vm: Vm): GuestHardware {
  const { config } = vm;
  const system = systemDisk(config);
  const disks = drivesOf(config).filter(({ slot, drive }) => !isCdrom(drive) && !/^(?:efi|tpm)/.test(slot));
  const volumeIn = (slot: string | undefined) =>
    findVolume(cluster, disks.find((disk) => disk.slot === slot)?.file ?? ":", vm.node);
  const image = volumeIn(system)?.origin;
  const seed = seedOf(vm);
  return {
    name: String(config["name"] ?? `VM ${vm.vmid}`),
    uuid: /uuid=([0-9a-fA-F-]+)/.exec(String(config["smbios1"] ?? ""))?.[1] ?? "",
    host: vm.node,
    cores: coresOf(config),
    memoryMiB: memoryMiB(config),
    nics: nicsOf(config).map(({ nic }) => ({
      mac: nic["macaddr"] ?? "",
      bridge: nic["bridge"] ?? "",
      ...(nic["tag"] !== undefined && { vlan: Number(nic["tag"]) }),
    })),
    disks: disks.map(({ slot }) => ({
      slot,
      sizeBytes: volumeIn(slot)?.sizeBytes ?? 0,
      isSystem: slot === system,
    })),
    ...(seed && { seed }),
    ...(image !== undefined && { image }),
  };
}

export const nicsOf = (config: Config): { slot: string; nic: Record<string, string> }[] =>
  Object.entries(config)
    .filter(([key]) => isNic(key))
    .toSorted(([a], [b]) => slotNumber(a) - slotNumber(b))
    .map(([slot, value]) => ({ slot, nic: parseValue(slot, value) }));
