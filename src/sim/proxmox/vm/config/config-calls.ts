import { ApiError, badParameter, refusal } from "../../api-error.ts";
import type { CallContext, Handlers } from "../../call.ts";
import type { Cluster } from "../../cluster.ts";
import { inHashOrder } from "../../hash-order.ts";
import { vmLockFile, vmLockWaitMs } from "../../locks.ts";
import type { ConfigValue, Vm } from "../../state.ts";
import type { TaskRun } from "../../tasks.ts";
import { demandSeedFiles } from "./cloud-init.ts";
import { prepare, type Change, type PreparedChange } from "./change.ts";
import {
  bootOrder,
  configDigest,
  demandDigest,
  demandUnlocked,
  drivesOf,
  findVm,
  isCloudInit,
  isDrive,
  isUnused,
  parseValue,
  shownConfig,
  type Config,
} from "./config.ts";
import { findVolume } from "../../storage/volumes.ts";
import { isCopying, placeDrives } from "./disks.ts";
import { snapshotConfig } from "../snapshots.ts";
import { deleteKeys, demandUnheld, dropWaiting, pendingList, setKeys, stuckDisks } from "./pending.ts";
import { putIn, takeOut } from "./hotplug.ts";
import { memoryMiB } from "./hardware.ts";
import { demandFittingHardware, withBoard } from "./machine.ts";
import { demandChangedDevices } from "./permissions.ts";

export const vmConfigCalls: Handlers<
  | "GET /nodes/{node}/qemu/{vmid}/config"
  | "PUT /nodes/{node}/qemu/{vmid}/config"
  | "POST /nodes/{node}/qemu/{vmid}/config"
  | "GET /nodes/{node}/qemu/{vmid}/pending"
  | "PUT /nodes/{node}/qemu/{vmid}/unlink"
> = {
  "GET /nodes/{node}/qemu/{vmid}/config": ({ cluster }, { node, vmid, current, snapshot }) => {
    if (snapshot !== undefined && current) {
      const problem = "cannot use 'snapshot' parameter with 'current'";
      throw badParameter({ snapshot: problem, current: problem });
    }
    const vm = findVm(cluster, node, vmid);
    const config =
      snapshot === undefined
        ? shownConfig(vm, current ?? false)
        : { ...snapshotConfig(vm, snapshot), digest: configDigest(vm) };
    return Object.fromEntries(inHashOrder(cluster, Object.entries(config)));
  },

  "PUT /nodes/{node}/qemu/{vmid}/config": async (context, params) => {
    const change = prepare(context, params);
    await locked(context, params, () => apply(context, { log: () => undefined }, params, change));
  },

  "POST /nodes/{node}/qemu/{vmid}/config": (context, params) => {
    const change = prepare(context, params);
    demandCurrent(findVm(context.cluster, params.node, params.vmid), params, change);
    const upid = context.task(params.node, "qmconfig", params.vmid, (run) => {
      run.log(askedFor(params));
      return locked(context, params, () => apply(context, run, params, change));
    });
    return params.background_delay === undefined ? upid : waitFor(context, params, upid);
  },

  "GET /nodes/{node}/qemu/{vmid}/pending": ({ cluster }, { node, vmid }) => {
    const vm = findVm(cluster, node, vmid);
    return inHashOrder(cluster, pendingList(vm, configDigest(vm)));
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
  demandCurrent(vm, params, change);
  demandRemovable(vm, change.remove);
  demandBootDevices(vm, change);
  // Only here, so of a change that runs as a task it is the task that fails.
  demandChangedDevices(context, vm.vmid, { ...vm.config, ...vm.pending.set }, change);
  demandDestroyable(context, vm, change.remove, params.force ?? false);
  demandUnheld(vm, change.remove);
  demandFittingHardware(change.set);
  demandSameTpm(vm, change.set["tpmstate0"]);
  const drives = Object.fromEntries(Object.entries(change.set).filter(([key]) => isDrive(key)));
  const present = { ...vm.pending.set, ...vm.config };
  const isTemplate = Number(vm.config["template"] ?? 0) === 1;
  const placed = await placeDrives(cluster, run, vm, drives, present, isTemplate).catch((error: unknown) => {
    leaveWaiting(cluster, vm, change.set);
    throw error;
  });
  if (Object.entries(drives).some(([slot, value]) => isCopying(slot, value))) {
    await cluster.clock.sleep(cluster.latencies.importMs);
  }
  const set = withBoundBoard(cluster, vm, change, withBootableCds(vm, { ...change.set, ...placed.config }));
  // An order takes the place of what older versions had for it.
  const isOrdered = bootOrder(set).length > 0 && vm.config["bootdisk"] !== undefined;
  const remove = isOrdered ? [...change.remove, "bootdisk"] : change.remove;
  await takeOver(context, vm, { ...change, set, remove }, params.force ?? false);
  const hasNewSeed = drivesOf(placed.config).some(({ file }) => isCloudInit(file));
  if (hasNewSeed && !vm.running) demandSeedFiles(cluster, vm);
}

/** What a TPM keeps cannot be read by one of another version. */
function demandSameTpm(vm: Vm, next: ConfigValue | undefined): void {
  const before = vm.config["tpmstate0"];
  if (before === undefined || next === undefined) return;
  const [old, drive] = [parseValue("tpmstate0", before), parseValue("tpmstate0", next)];
  if (old["file"] !== drive["file"] || (old["version"] ?? "v1.2") === (drive["version"] ?? "v1.2")) return;
  throw refusal("cannot change TPM state version after creation");
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

/** A machine that becomes a Windows one is bound to a board then, unless somebody just decided about that. */
function withBoundBoard(cluster: Cluster, vm: Vm, { remove }: PreparedChange, set: Config): Config {
  const isDecided = [set, vm.pending.set].some((config) => config["machine"] !== undefined);
  if (set["ostype"] === undefined || isDecided || remove.includes("machine")) return set;
  const { machine } = withBoard(cluster, { ...vm.config, ...set });
  return machine === undefined || machine === vm.config["machine"] ? set : { ...set, machine };
}

/** A CD drive that comes later is put last into the boot order, so that the firmware tries it at all. */
function withBootableCds(vm: Vm, set: Config): Config {
  const order = bootOrder(vm.config);
  const isNew = (slot: string) => {
    const { file = "", media } = parseValue(slot, set[slot] ?? "");
    return media === "cdrom" && !isCloudInit(file) && !order.includes(slot);
  };
  const added = Object.keys(set).filter((key) => isDrive(key) && isNew(key));
  if (order.length === 0 || added.length === 0 || set["boot"] !== undefined) return set;
  return { ...set, boot: `order=${[...order, ...added].join(";")}` };
}

/**
 * The server takes the keys of a change in the order of a hash and notes each before it goes on; those it came to before
 * a disk could not be made stay behind, waiting.
 */
function leaveWaiting(cluster: Cluster, vm: Vm, set: Config): void {
  const order = inHashOrder(cluster, Object.keys(set));
  for (const key of order.slice(0, order.findIndex(isDrive))) {
    const value = set[key] ?? "";
    if (vm.config[key] !== value) vm.pending.set[key] = value;
  }
}

/** A stopped machine changes at once; of a running one what cannot be plugged waits for its next start. */
async function takeOver(
  { cluster }: CallContext,
  vm: Vm,
  change: PreparedChange,
  isForced: boolean,
): Promise<void> {
  cluster.changed();
  for (const key of change.revert) {
    dropWaiting(cluster, vm, key, vm.config[key]);
    vm.pending.delete = vm.pending.delete.filter((other) => other !== key);
  }
  if (!vm.running) {
    changeStopped(cluster, vm, change, isForced);
    return;
  }
  const problems = {};
  const kept = (error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    Object.assign(problems, error.errors);
  };
  for (const key of change.remove) await takeOut(cluster, vm, key, isForced).catch(kept);
  for (const [key, value] of Object.entries(change.set)) {
    vm.pending.delete = vm.pending.delete.filter((other) => other !== key);
    if (vm.config[key] === value) delete vm.pending.set[key];
    else await putIn(cluster, vm, key, value).catch(kept);
  }
  if (Object.keys(problems).length > 0) throw badParameter(problems);
}

function changeStopped(cluster: Cluster, vm: Vm, change: PreparedChange, isForced: boolean): void {
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
  vm.pending.forced = Object.keys(problems);
  setKeys(cluster, vm, { ...vm.pending.set, ...change.set });
  vm.pending.set = {};
  if (vm.pending.delete.length > 0) throw badParameter(problems);
}

/** What can be refused as soon as the machine's configuration has been read. */
function demandCurrent(vm: Vm, params: Change, { set, remove }: PreparedChange): void {
  demandDigest(vm, params.digest);
  if (!params.skiplock && !remove.includes("lock")) demandUnlocked(vm);
  if (set["memory"] === undefined && set["balloon"] === undefined) return;
  const now = { ...vm.config, ...vm.pending.set, ...set };
  if (Number(now["balloon"] ?? 0) > memoryMiB(now)) {
    throw refusal("balloon value too large (must be smaller than assigned memory)");
  }
}

/** Who is ready to wait gets the outcome instead of the task, if it comes in time. */
async function waitFor({ cluster }: CallContext, params: Change, upid: string): Promise<string | null> {
  const patience = cluster.clock.sleep((params.background_delay ?? 0) * 1000).then(() => "late" as const);
  const worker = cluster.workers.get(upid)?.done.then(() => "done" as const);
  if ((await Promise.race([patience, worker ?? "done"])) === "late") return upid;
  const exit = cluster.state.tasks.find((task) => task.upid === upid)?.exitstatus ?? "unexpected status";
  if (/^(?:OK|WARNINGS)/.test(exit)) return null;
  throw refusal(`failed to update VM ${params.vmid}: ${exit}`);
}

/** Only what is there is protected. */
function demandRemovable(vm: Vm, keys: string[]): void {
  if (Number(vm.config["protection"] ?? 0) !== 1) return;
  for (const key of keys) {
    const value = vm.config[key] ?? vm.pending.set[key];
    if (value === undefined || !(isDrive(key) || isUnused(key))) continue;
    const what = isUnused(key) ? `unused disk '${value}'` : `drive '${key}'`;
    throw refusal(`can't remove ${what} - protection mode enabled`);
  }
}

/** Create takes any boot order, a change only one of devices that are there and stay. */
function demandBootDevices(vm: Vm, { set, remove }: PreparedChange): void {
  const devices = { ...vm.config, ...vm.pending.set, ...set };
  const missing = bootOrder(set).find((slot) => devices[slot] === undefined || remove.includes(slot));
  if (missing !== undefined) throw refusal(`invalid bootorder: device '${missing}' does not exist'`);
}
