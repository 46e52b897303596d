import type { Cluster } from "../../cluster.ts";
import { findPlug } from "../../nodes/bridges.ts";
import { splitList } from "../../parameters/formats.ts";
import type { ConfigValue, Vm } from "../../state.ts";
import { isCdrom, isDrive, isNic, isSeedKey, isUnused, parseValue, bootOrder, systemDisk } from "./config.ts";
import { bootWithout, deleteKeys, dropWaiting, setKeys } from "./pending.ts";
import { badParameter, type ApiError } from "../../api-error.ts";

/** Keys that are nothing to the running machine, so they change at once. */
const looseKeys = new Set([
  "description",
  "hookscript",
  "lock",
  "migrate_downtime",
  "migrate_speed",
  "name",
  "onboot",
  "protection",
  "shares",
  "startup",
  "tags",
  "vmstatestorage",
]);
/** Control groups take their limits at any time. */
const isLoose = (key: string): boolean =>
  looseKeys.has(key) || isSeedKey(key) || key === "cpulimit" || key === "cpuunits";

/** What the machine lets be plugged while it runs. */
function pluggable({ config }: Vm): Set<string> {
  const value = String(config["hotplug"] ?? "1");
  return new Set(value === "1" ? ["network", "disk", "usb"] : splitList(value));
}

/** Buses nothing is plugged into or taken from while the power is on. */
const isFixed = (slot: string): boolean => /^(?:ide|sata|efidisk|tpmstate)\d/.test(slot);

/** Takes a key from a running machine, at once or with the end of its power. */
export async function takeOut(cluster: Cluster, vm: Vm, key: string, isForced: boolean): Promise<void> {
  const { config, pending } = vm;
  dropWaiting(cluster, vm, key);
  if (isUnused(key) || goesAtOnce(vm, key)) {
    noteSeedChange(vm, key, undefined);
    deleteKeys(cluster, vm, [key], isForced);
    return;
  }
  if (config[key] === undefined) return;
  if (!pending.delete.includes(key)) pending.delete.push(key);
  if (isForced) pending.forced = [...new Set([...(pending.forced ?? []), key])];
  const boot = bootWithout(config, key);
  if (boot !== undefined) pending.set["boot"] = boot;
  if (!canUnplug(vm, key)) return;
  await unplug(cluster, vm, key);
  deleteKeys(cluster, vm, [key], isForced);
  pending.delete = pending.delete.filter((other) => other !== key);
  if (boot !== undefined) delete pending.set["boot"];
}

function canUnplug(vm: Vm, key: string): boolean {
  const features = pluggable(vm);
  return isNic(key) ? features.has("network") : isDrive(key) && !isFixed(key) && features.has("disk");
}

function goesAtOnce(vm: Vm, key: string): boolean {
  const value = String(vm.config[key] ?? "");
  if (key === "hotplug") return !/cpu|memory/.test(value);
  if (key === "balloon") return Number(value) !== 0;
  return isLoose(key) || (key === "tablet" && pluggable(vm).has("usb"));
}

/** Gives a running machine another value, at once or with its next start. */
export async function putIn(cluster: Cluster, vm: Vm, key: string, value: ConfigValue): Promise<void> {
  dropWaiting(cluster, vm, key, value);
  vm.pending.set[key] = value;
  if (!(await plugs(cluster, vm, key, value))) return;
  delete vm.pending.set[key];
  noteSeedChange(vm, key, value);
  setKeys(cluster, vm, { [key]: value });
}

/** The drive of a running machine stays as it was made; a password is told by nobody. */
function noteSeedChange(vm: Vm, key: string, next: ConfigValue | undefined): void {
  const isOnDrive = (isSeedKey(key) && key !== "cipassword") || key === "name" || isNic(key);
  const old = vm.config[key];
  if (!isOnDrive || old === next) return;
  const { before, added } = (vm.seedChanges ??= { before: {}, added: [] });
  const isAdded = added.includes(key);
  if (before[key] !== undefined && before[key] === next) delete before[key];
  else if (isAdded && next === undefined) vm.seedChanges.added = added.filter((other) => other !== key);
  else if (before[key] !== undefined || isAdded) return;
  else if (old === undefined) added.push(key);
  else before[key] = old;
}

async function plugs(cluster: Cluster, vm: Vm, key: string, value: ConfigValue): Promise<boolean> {
  if (isDrive(key)) return plugsDrive(cluster, vm, key, String(value));
  if (isNic(key)) return plugsNic(cluster, vm, key, String(value));
  const before = vm.config[key];
  if (key === "hotplug") return !/cpu|memory/.test(`${value} ${before ?? ""}`);
  if (key === "balloon") return (Number(value) === 0) === (before !== undefined && Number(before) === 0);
  if (key === "agent") return before !== undefined && isSameBut(/^fstrim_cloned_disks$/, key, before, value);
  return isLoose(key) || (key === "tablet" && pluggable(vm).has("usb"));
}

/** Whether two settings differ in nothing but the keys of that pattern. */
function isSameBut(pattern: RegExp, key: string, one: ConfigValue, other: ConfigValue): boolean {
  const [before, after] = [parseValue(key, one), parseValue(key, other)];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].every(
    (part) => pattern.test(part) || before[part] === after[part],
  );
}

/** Of a disk that stays, what the emulator was started with cannot change; its limits can. */
const changesLive = /^(?!(?:aio|cache|discard|iothread|product|queues|ro|ssd|vendor)$)/;

async function plugsDrive(cluster: Cluster, vm: Vm, slot: string, value: string): Promise<boolean> {
  if (/^(?:efidisk|tpmstate)/.test(slot)) return false;
  const canPlug = pluggable(vm).has("disk");
  const before = vm.config[slot];
  if (before !== undefined) {
    const [old, drive] = [parseValue(slot, before), parseValue(slot, value)];
    if ((old["media"] ?? "disk") !== (drive["media"] ?? "disk")) {
      throw hotplugProblem(slot, "unable to change media type");
    }
    if (isCdrom(old)) return true;
    if (old["file"] === drive["file"]) return isSameBut(changesLive, slot, before, value);
    if (canPlug) await unplug(cluster, vm, slot);
  }
  return canPlug && !isFixed(slot);
}

async function plugsNic(cluster: Cluster, vm: Vm, key: string, value: string): Promise<boolean> {
  const before = vm.config[key];
  const stays =
    before !== undefined && isSameBut(/^(?:bridge|firewall|link_down|rate|tag|trunks)$/, key, before, value);
  if (!stays && !pluggable(vm).has("network")) return false;
  if (!stays && before !== undefined) await unplug(cluster, vm, key);
  const bridge = parseValue(key, value)["bridge"];
  if (bridge === undefined || findPlug(cluster, vm.node, bridge)) return true;
  const script = "/usr/libexec/qemu-server/pve-bridge-hotplug";
  throw hotplugProblem(
    key,
    `VM ${vm.vmid} qmp command 'netdev_add' failed - network script ${script} failed with status 512`,
  );
}

const busyMs = { nic: 6000, disk: 17_000 } as const;

/**
 * Waits until a running machine has let go of a device. It needs the system in it; where none runs, the server waits
 * and gives up.
 */
async function unplug(cluster: Cluster, vm: Vm, key: string): Promise<void> {
  if (isBootDisk(vm, key)) throw hotplugProblem(key, `can't unplug bootdisk '${key}'`);
  if (cluster.guests.get(vm.vmid)?.shutdown !== undefined) return;
  await cluster.clock.sleep(isNic(key) ? busyMs.nic : busyMs.disk);
  const hint = cluster.version === 9 ? " - still busy in guest?" : "";
  throw hotplugProblem(key, `error on hot-unplugging device '${deviceOf(vm, key)}'${hint}`);
}

const hotplugProblem = (key: string, text: string): ApiError =>
  badParameter({ [key]: `hotplug problem - ${text}\n` });

/** Any disk of the boot order; without one, what the firmware would find. */
const isBootDisk = ({ config }: Vm, key: string): boolean =>
  isDrive(key) && (key === systemDisk(config) || bootOrder(config).includes(key));

/** With a controller per disk it is the controller that goes. */
const deviceOf = (vm: Vm, key: string): string =>
  vm.config["scsihw"] === "virtio-scsi-single" && key.startsWith("scsi") ? `virtio${key}` : key;
