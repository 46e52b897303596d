import { seedOf } from "./config/cloud-init.ts";
import { resolverOf, type Cluster } from "../cluster.ts";
import { refusal } from "../api-error.ts";
import type { Vm } from "../state.ts";
import { demandUnlocked } from "./config/config.ts";
import { guestDisks, hardwareOf } from "./config/hardware.ts";
import { applyPending } from "./config/pending.ts";
import { demandStartable } from "./config/startable.ts";

/** Switches a machine on: everything a hypervisor looks at before it hands over to the guest. */
export async function startVm(
  cluster: Cluster,
  vm: Vm,
  signal?: AbortSignal,
  isLockIgnored = false,
): Promise<void> {
  if (Number(vm.config["template"] ?? 0) === 1) throw refusal("you can't start a vm if it's a template");
  const lock = vm.config["lock"];
  // A backup of a running machine begins with it held still.
  if (lock === "backup" && vm.running) {
    runGuest(cluster, vm);
    return;
  }
  if (!isLockIgnored && lock !== "suspended") demandUnlocked(vm);
  if (vm.running) throw refusal(`VM ${vm.vmid} already running`);
  applyPending(cluster, vm);
  demandStartable(cluster, vm);
  await cluster.clock.sleep(cluster.latencies.startMs, signal);
  if (lock === "suspended") delete vm.config["lock"];
  bootVm(cluster, vm);
}

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
