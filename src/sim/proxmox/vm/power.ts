import { demandSeedFiles, seedOf } from "./config/cloud-init.ts";
import { resolverOf, type Cluster } from "../cluster.ts";
import { refusal } from "../api-error.ts";
import { findPlug } from "../nodes/bridges.ts";
import type { Vm } from "../state.ts";
import { findVolume } from "../storage/volumes.ts";
import { drivesOf, isCloudInit, isNic, parseValue } from "./config/config.ts";
import { coresOf, guestDisks, hardwareOf, memoryMiB } from "./config/hardware.ts";
import { applyPending } from "./config/pending.ts";

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
  demandSeedFiles(cluster, vm);
  const node = cluster.file.nodes[vm.node];
  const cores = coresOf(vm.config);
  if (node && cores > node.cores) throw refusal(`MAX ${node.cores} vcpus allowed per VM on this node`);
  if (node && memoryMiB(vm.config) * 2 ** 20 > node.memory) throw crashed();
  for (const { file } of drivesOf(vm.config)) {
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
  const plug = findPlug(cluster, vm.node, name);
  if (!plug) throw cluster.version === 9 ? refusal(`bridge '${name}' does not exist`) : crashed();
  if (nic["tag"] !== undefined && !plug.hasPort) throw crashed();
  if (nic["trunks"] !== undefined && !plug.isVlanAware) throw crashed();
}

/** The reason stands in the log of the real server only. */
const crashed = () => refusal("start failed: QEMU exited with code 1");

/** Lets the guest run. Also used when the simulator itself starts again. */
export function bootVm(cluster: Cluster, vm: Vm): void {
  const now = cluster.clock.now();
  const isFrozen = Number(vm.config["freeze"] ?? 0) === 1;
  vm.running = { startedAt: now, pid: cluster.state.nextPid++, isPaused: isFrozen };
  writeSeed(cluster, vm);
  vm.powerChangedAt = now;
  if (isFrozen) cluster.changed();
  else runGuest(cluster, vm);
}

/** Writes the cloud-init drive of a running machine, for the next start of its system. */
export function writeSeed(cluster: Cluster, vm: Vm): void {
  delete vm.seedChanges;
  if (vm.running) vm.running.seed = seedOf(vm, resolverOf(cluster));
}

/** The processor begins to work: at once, or for a machine that starts frozen when it is resumed. */
export function runGuest(cluster: Cluster, vm: Vm): void {
  const power = vm.running;
  if (!power || cluster.guests.has(vm.vmid)) return;
  power.isPaused = false;
  const guest = cluster.boot(hardwareOf(cluster, vm), guestDisks(cluster, vm), {
    powerOff: () => {
      if (vm.running !== power) return;
      cluster.guests.delete(vm.vmid);
      switchedOff(cluster, vm);
    },
    saved: () => cluster.changed(),
    print: (text) => {
      if (vm.running === power && vm.config["serial0"] === "socket") cluster.consoles.print(vm.vmid, text);
    },
  });
  cluster.guests.set(vm.vmid, guest);
  cluster.changed();
}

/** As the button on a computer. The process stays, and with it what waits for the next start, and who reads the console. */
export async function resetVm(cluster: Cluster, vm: Vm): Promise<void> {
  const guest = cluster.guests.get(vm.vmid);
  cluster.guests.delete(vm.vmid);
  await guest?.stop();
  if (vm.running && !vm.running.isPaused) runGuest(cluster, vm);
}

function switchedOff(cluster: Cluster, vm: Vm): void {
  delete vm.running;
  cluster.consoles.hangUp(vm.vmid);
  vm.powerChangedAt = cluster.clock.now();
  applyPending(cluster, vm);
  cluster.changed();
  cluster.wentOff(vm.vmid);
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
