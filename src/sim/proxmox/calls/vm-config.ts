import { badParameter, refusal } from "../api-error.ts";
import type { CallContext, Handlers } from "../call.ts";
import { configParams, type Params } from "../../../clients/proxmox/endpoints/index.ts";
import { splitList } from "../formats.ts";
import { vmLockFile, vmLockWaitMs } from "../locks.ts";
import { findPlug } from "../plugs.ts";
import type { Vm } from "../state.ts";
import type { TaskRun } from "../tasks.ts";
import { paramFor } from "../verify.ts";
import {
  bootOrder,
  configDigest,
  demandDigest,
  demandUnlocked,
  drivesOf,
  findVm,
  isCdrom,
  isCloudInit,
  isDrive,
  isNic,
  isUnused,
  parseValue,
  shownConfig,
  storedValue,
  type Config,
} from "../vm-config.ts";
import { findVolume } from "../storage.ts";
import { driveWish, isCopying, placeDrives } from "../vm-disks.ts";
import { snapshotConfig } from "../vm-snapshots.ts";
import { deleteKeys, pendingList, setKeys, stuckDisks } from "../vm-pending.ts";
import { unplug } from "../vm-unplug.ts";
import {
  demandChangedDevices,
  demandConfigRights,
  demandDriveRights,
  demandNetworkRights,
} from "../vm-permissions.ts";

type Change = Params<"POST /nodes/{node}/qemu/{vmid}/config">;

const ownParams = new Set([
  "node",
  "vmid",
  "delete",
  "revert",
  "force",
  "digest",
  "skiplock",
  "background_delay",
  "import-working-storage",
]);

/** Keys a running machine takes over at once. */
const liveKeys = new Set([
  "description",
  "hookscript",
  "lock",
  "name",
  "onboot",
  "protection",
  "shares",
  "startup",
  "tags",
  "vmstatestorage",
]);

export const vmConfigCalls: Handlers<
  | "GET /nodes/{node}/qemu/{vmid}/config"
  | "PUT /nodes/{node}/qemu/{vmid}/config"
  | "POST /nodes/{node}/qemu/{vmid}/config"
  | "GET /nodes/{node}/qemu/{vmid}/pending"
  | "PUT /nodes/{node}/qemu/{vmid}/unlink"
> = {
  "GET /nodes/{node}/qemu/{vmid}/config": ({ cluster }, { node, vmid, current, snapshot }) => {
    const vm = findVm(cluster, node, vmid);
    if (snapshot === undefined) return shownConfig(vm, current ?? false);
    return { ...snapshotConfig(vm, snapshot), digest: configDigest(vm) };
  },

  "PUT /nodes/{node}/qemu/{vmid}/config": async (context, params) => {
    const change = prepare(context, params);
    await locked(context, params, () => apply(context, { log: () => undefined }, params, change));
  },

  "POST /nodes/{node}/qemu/{vmid}/config": (context, params) => {
    const change = prepare(context, params);
    const vm = findVm(context.cluster, params.node, params.vmid);
    demandDigest(vm, params.digest);
    demandChangeable(vm, params, change);
    return context.task(params.node, "qmconfig", params.vmid, (run) => {
      run.log(askedFor(params));
      return locked(context, params, () => apply(context, run, params, change));
    });
  },

  "GET /nodes/{node}/qemu/{vmid}/pending": ({ cluster }, { node, vmid }) => {
    const vm = findVm(cluster, node, vmid);
    return pendingList(vm, configDigest(vm));
  },

  "PUT /nodes/{node}/qemu/{vmid}/unlink": async (context, { node, vmid, idlist, force }) => {
    const params = { node, vmid, delete: idlist, ...(force !== undefined && { force }) };
    const change = prepare(context, params);
    await locked(context, params, () => apply(context, { log: () => undefined }, params, change));
  },
};

/** The first line of the task's log. */
function askedFor({
  node: _node,
  vmid,
  digest: _digest,
  background_delay: _delay,
  ...params
}: Change): string {
  const shown = (key: string, value: unknown) =>
    key === "cipassword" ? "<hidden>" : String(typeof value === "boolean" ? Number(value) : value);
  const words = Object.entries(params)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `-${key} ${shown(key, value)}`);
  return `update VM ${vmid}: ${words.join(" ")}`;
}

interface PreparedChange {
  set: Config;
  remove: string[];
  revert: string[];
}

/** What can be refused without looking at the machine. */
function prepare(context: CallContext, params: Change): PreparedChange {
  const { cluster } = context;
  if (params.skiplock && !context.caller.isRoot) {
    throw badParameter({ skiplock: "Only root may use this option." });
  }
  const given = Object.entries(params).filter(([key, value]) => !ownParams.has(key) && value !== undefined);
  const set: Config = Object.fromEntries(
    given.map(([key, value]) => {
      const slot = key === "cdrom" ? "ide2" : key;
      return [slot, isDrive(slot) ? String(value) : storedValue(key, value ?? "", cluster, false)];
    }),
  );
  const remove = splitList(params.delete ?? "");
  const revert = splitList(params.revert ?? "");
  const unknown = remove.find((key) => !paramFor(configParams, key, cluster.version));
  const both = remove.find((key) => set[key] !== undefined);
  if (both !== undefined) {
    throw badParameter({ delete: `you can't use '-${both}' and -delete ${both}' at the same time` });
  }
  if (unknown !== undefined) throw badParameter({ delete: `unknown option '${unknown}'` });
  if (given.length === 0 && remove.length === 0 && revert.length === 0) throw refusal("no options specified");
  demandConfigRights(context, { vmid: params.vmid }, [...remove, ...Object.keys(set)]);
  demandDriveRights(context, params.vmid, set);
  demandNetworkRights(context, set);
  demandSshKeys(set);
  return { set, remove, revert };
}

const locked = <T>({ cluster }: CallContext, { vmid }: Change, work: () => Promise<T>): Promise<T> =>
  cluster.locks.hold(vmLockFile(vmid), vmLockWaitMs, work);

async function apply(
  context: CallContext,
  run: Pick<TaskRun, "log">,
  params: Change,
  change: PreparedChange,
): Promise<void> {
  const { cluster } = context;
  const vm = findVm(cluster, params.node, params.vmid);
  demandDigest(vm, params.digest);
  demandChangeable(vm, params, change);
  demandRemovable(vm, change.remove);
  demandBootDevices(vm, change.set);
  // Only here, so of a change that runs as a task it is the task that fails.
  demandChangedDevices(context, vm.vmid, { ...vm.config, ...vm.pending.set }, change);
  demandDestroyable(context, vm, change.remove, params.force ?? false);
  const drives = Object.fromEntries(Object.entries(change.set).filter(([key]) => isDrive(key)));
  demandOneSeed(vm, drives);
  const placed = await placeDrives(cluster, run, vm, drives).catch((error: unknown) => {
    leaveWaiting(vm, change.set);
    throw error;
  });
  if (Object.entries(drives).some(([slot, value]) => isCopying(slot, value))) {
    await cluster.clock.sleep(cluster.latencies.importMs);
  }
  await takeOver(context, vm, { ...change, set: { ...change.set, ...placed.config } }, params.force ?? false);
}

/** Destroying a volume of its own takes a right on the storage it lies on. */
function demandDestroyable(context: CallContext, vm: Vm, keys: string[], isForced: boolean): void {
  for (const key of keys) {
    if (!isUnused(key) && !(isDrive(key) && isForced)) continue;
    const volume = findVolume(
      context.cluster,
      String(parseValue(key, vm.config[key] ?? "")["file"]),
      vm.node,
    );
    if (volume?.vmid === vm.vmid) {
      context.demand.all(`/storage/${volume.storage}`, ["Datastore.AllocateSpace"]);
    }
  }
}

/** Also one that is about to leave counts, so it has to leave first. */
function demandOneSeed(vm: Vm, drives: Config): void {
  const has = drivesOf(vm.config).find(({ file }) => isCloudInit(file))?.slot;
  for (const [slot, value] of Object.entries(drives)) {
    if (has === undefined || has === slot || driveWish(slot, parseValue(slot, value)).kind !== "cloudinit")
      continue;
    throw refusal(`${slot} - cloud-init drive is already attached at '${has}'`);
  }
}

/**
 * The real server takes the keys of a change in the order of a hash, and those it came to before a disk could not be made
 * stay behind, waiting. Here that is all of them.
 */
function leaveWaiting(vm: Vm, set: Config): void {
  if (!vm.running) return;
  for (const [key, value] of Object.entries(set)) {
    if (!isDrive(key) && vm.config[key] !== value) vm.pending.set[key] = value;
  }
}

/** A stopped machine changes at once; of a running one what cannot be plugged waits for its next start. */
async function takeOver(
  context: CallContext,
  vm: Vm,
  change: PreparedChange,
  isForced: boolean,
): Promise<void> {
  const { cluster } = context;
  cluster.changed();
  for (const key of change.revert) {
    delete vm.pending.set[key];
    vm.pending.delete = vm.pending.delete.filter((other) => other !== key);
  }
  if (!vm.running) {
    const forced = [...vm.pending.delete, ...(isForced ? change.remove : [])];
    const problems = stuckDisks(vm, forced);
    const isStuck = (key: string) => problems[key] !== undefined;
    deleteKeys(
      cluster,
      vm,
      forced.filter((key) => !isStuck(key)),
      true,
    );
    if (!isForced) deleteKeys(cluster, vm, change.remove, false);
    vm.pending.delete = Object.keys(problems);
    setKeys(cluster, vm, change.set);
    if (vm.pending.delete.length > 0) throw badParameter(problems);
    return;
  }
  for (const key of change.remove) {
    delete vm.pending.set[key];
    if (liveKeys.has(key) || isUnused(key)) deleteKeys(cluster, vm, [key], isForced);
    else if (vm.config[key] !== undefined) {
      if (!vm.pending.delete.includes(key)) vm.pending.delete.push(key);
      if ((isDrive(key) && !isFixed(key)) || isNic(key)) await unplug(cluster, vm, key, isForced);
    }
  }
  for (const [key, value] of Object.entries(change.set)) {
    vm.pending.delete = vm.pending.delete.filter((other) => other !== key);
    if (isPlugged(context, vm, key, value)) setKeys(cluster, vm, { [key]: value });
    else vm.pending.set[key] = value;
  }
}

/** Drives on these buses leave only with the power. */
const isFixed = (slot: string): boolean => /^(?:ide|sata)\d/.test(slot);

function isPlugged(context: CallContext, vm: Vm, key: string, value: string | number): boolean {
  if (liveKeys.has(key) || vm.config[key] === value) return true;
  if (isDrive(key)) return vm.config[key] === undefined || isCdrom(parseValue(key, value));
  if (!isNic(key)) return /^(?:ci\w+|ipconfig\d+|nameserver|searchdomain|sshkeys)$/.test(key);
  const bridge = parseValue(key, value)["bridge"];
  if (bridge !== undefined && !findPlug(context.cluster, vm.node, bridge)) {
    vm.pending.set[key] = value;
    throw badParameter({
      [key]: `hotplug problem - VM ${vm.vmid} qmp command 'netdev_add' failed - network script /usr/libexec/qemu-server/pve-bridge-hotplug failed with status 512\n`,
    });
  }
  return true;
}

function demandChangeable(vm: Vm, params: Change, change: PreparedChange): void {
  if (!params.skiplock && !change.remove.includes("lock")) demandUnlocked(vm);
}

function demandRemovable(vm: Vm, keys: string[]): void {
  const drive = keys.find((key) => isDrive(key) || isUnused(key));
  if (drive === undefined || Number(vm.config["protection"] ?? 0) !== 1) return;
  throw refusal(
    `can't remove ${isUnused(drive) ? "unused disk" : "drive"} '${drive}' - protection mode enabled`,
  );
}

/** Create takes any boot order, a change only one of devices that are there. */
function demandBootDevices(vm: Vm, set: Config): void {
  const missing = bootOrder(set).find((slot) => vm.config[slot] === undefined && set[slot] === undefined);
  if (missing !== undefined) throw refusal(`invalid bootorder: device '${missing}' does not exist'`);
}

/** The server runs ssh-keygen over each key. */
export function demandSshKeys(config: Config): void {
  const keys = decodeURIComponent(String(config["sshkeys"] ?? ""))
    .split("\n")
    .filter((key) => key.trim() !== "" && !key.startsWith("#"));
  const isKey = (key: string) =>
    /^(?:\S+\s+)?(?:ssh-|ecdsa-|sk-)\S+\s+AAAA[A-Za-z0-9+/]+=*(?:\s|$)/.test(key);
  if (!keys.every(isKey)) throw refusal("SSH public key validation error");
}
