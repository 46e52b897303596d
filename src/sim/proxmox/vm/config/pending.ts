import { refusal } from "../../api-error.ts";
import type { Cluster } from "../../cluster.ts";
import type { ConfigValue, Vm } from "../../state.ts";
import { findVolume, ownerOf, removeVolume } from "../../storage/volumes.ts";
import {
  bootOrder,
  hideSecrets,
  isCdrom,
  isCloudInit,
  isDrive,
  isUnused,
  parseValue,
  type Config,
} from "./config.ts";

/** Sets keys of a stopped machine; a disk that loses its slot stays as an unused one. */
export function setKeys(cluster: Cluster, vm: Vm, values: Config): void {
  for (const [key, value] of Object.entries(values)) {
    if (isDrive(key)) {
      detach(cluster, vm, key, String(value));
      forgetUnused(vm, parseValue(key, value)["file"] ?? "");
    }
    vm.config[key] = value;
  }
  withoutSmp(vm.config);
}

/** A number of processors without more said of them is one of sockets. */
export function withoutSmp(config: Config): Config {
  const { smp } = config;
  if (smp === undefined) return config;
  if (config["sockets"] === undefined) {
    config["sockets"] = smp;
    delete config["cores"];
  }
  delete config["smp"];
  return config;
}

/**
 * Why a disk cannot go for good: somebody else holds its volume. The server keeps such a wish, and tells of it at
 * every later change.
 */
export function stuckDisks(vm: Vm, keys: readonly string[]): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const key of keys) {
    const value = vm.config[key];
    const file = isDrive(key) && value !== undefined ? (parseValue(key, value)["file"] ?? "") : "";
    const isHeld =
      isHeldElsewhere(vm.config, key, file) ||
      Object.values(vm.snapshots).some((snapshot) => isHeldElsewhere(snapshot.config, "", file));
    if (file === "" || !isHeld) continue;
    problems[key] =
      `unable to apply pending change ${key} : unable to delete '${file}' - volume is still in use (snapshot?)\n`;
  }
  return problems;
}

/** Deletes keys of a stopped machine. With `isForced` disks go for good. */
export function deleteKeys(cluster: Cluster, vm: Vm, keys: readonly string[], isForced: boolean): void {
  for (const key of keys) {
    if (isUnused(key) || (isDrive(key) && isForced)) dropVolume(cluster, vm, key);
    else if (isDrive(key)) detach(cluster, vm, key, "");
    delete vm.config[key];
    if (isDrive(key)) leaveBootOrder(vm.config, key);
  }
}

/** What waited for the machine to be off is done now. */
export function applyPending(cluster: Cluster, vm: Vm): void {
  const { forced = [] } = vm.pending;
  for (const key of vm.pending.delete) deleteKeys(cluster, vm, [key], forced.includes(key));
  setKeys(cluster, vm, vm.pending.set);
  vm.pending = { set: {}, delete: [] };
}

/** Each key with its value and what waits for it. */
export function pendingList(vm: Vm, digest: string): Record<string, unknown>[] {
  const config = hideSecrets(vm.config);
  const waiting = hideSecrets(vm.pending.set);
  const keys = new Set([...Object.keys(config), ...Object.keys(waiting)]);
  const rows = [...keys].map((key) => ({
    key,
    value: config[key],
    pending: waiting[key],
    delete: vm.pending.delete.includes(key) ? (vm.pending.forced?.includes(key) ? 2 : 1) : undefined,
  }));
  return [...rows, { key: "digest", value: digest }];
}

/** The old volume of a slot becomes unused, unless the new value keeps it; a cloud-init drive just goes. */
function detach(cluster: Cluster, vm: Vm, slot: string, next: string): void {
  const before = vm.config[slot];
  if (before === undefined) return;
  const drive = parseValue(slot, before);
  const file = drive["file"] ?? "";
  if (isCloudInit(file)) {
    dropVolume(cluster, vm, slot);
    return;
  }
  const isKept = next !== "" && parseValue(slot, next)["file"] === file;
  if (isKept || isCdrom(drive) || isHeldElsewhere(vm.config, slot, file)) return;
  addUnused(vm, file);
}

/** A disk of its own that has no slot any more stays with a machine, under the first free key. */
export function addUnused({ vmid, config }: Vm, file: string): void {
  const isKnown = Object.keys(config).some((key) => isUnused(key) && config[key] === file);
  if (isKnown || ownerOf(file) !== String(vmid)) return;
  let number = 0;
  while (config[`unused${number}`] !== undefined) number += 1;
  config[`unused${number}`] = file;
}

/** Takes back a value that waits; the disk made for it stays as an unused one. */
export function dropWaiting(cluster: Cluster, vm: Vm, key: string, next: ConfigValue = ""): void {
  const value = vm.pending.set[key];
  delete vm.pending.set[key];
  if (value === undefined || !isDrive(key)) return;
  const drive = parseValue(key, value);
  const file = drive["file"] ?? "";
  const isKept = next !== "" && parseValue(key, next)["file"] === file;
  if (isKept || isHeldElsewhere(vm.config, "", file)) return;
  const seed = isCloudInit(file) ? findVolume(cluster, file, vm.node) : undefined;
  if (seed) removeVolume(cluster, seed);
  else if (!isCdrom(drive)) addUnused(vm, file);
}

/** An unused disk goes for good, so nothing may stand on it. */
export function demandUnheld(vm: Vm, keys: readonly string[]): void {
  for (const key of keys.filter(isUnused)) {
    const file = String(vm.config[key] ?? "");
    const configs = [vm.config, ...Object.values(vm.snapshots).map(({ config }) => config)];
    const isHeld = configs.some((config) => isHeldElsewhere(config, key, file));
    if (file !== "" && isHeld && ownerOf(file) === String(vm.vmid)) {
      throw refusal(`unable to delete '${file}' - volume is still in use (snapshot?)`);
    }
  }
}

const isHeldElsewhere = (config: Config, slot: string, file: string): boolean =>
  Object.entries(config).some(
    ([key, value]) => key !== slot && isDrive(key) && parseValue(key, value)["file"] === file,
  );

function forgetUnused(vm: Vm, file: string): void {
  for (const [key, value] of Object.entries(vm.config)) {
    if (isUnused(key) && value === file) delete vm.config[key];
  }
}

function dropVolume(cluster: Cluster, vm: Vm, key: string): void {
  const value = vm.config[key];
  if (value === undefined) return;
  const volume = findVolume(cluster, parseValue(key, value)["file"] ?? ":", vm.node);
  if (volume?.vmid === vm.vmid) removeVolume(cluster, volume);
}

export function leaveBootOrder(config: Config, slot: string): void {
  const boot = bootWithout(config, slot);
  if (boot !== undefined) config["boot"] = boot;
}

/** The boot order without a device; undefined when it was not in it. */
export function bootWithout(config: Config, slot: string): string | undefined {
  const order = bootOrder(config);
  if (!order.includes(slot)) return undefined;
  const rest = order.filter((other) => other !== slot);
  return rest.length === 0 ? " " : `order=${rest.join(";")}`;
}
