import { badParameter, refusal } from "../api-error.ts";
import type { CallContext, Handlers } from "../call.ts";
import { nodeNames, type Cluster } from "../cluster.ts";
import { inHashOrder } from "../hash-order.ts";
import { forgetResource, resourceOf, sidOf } from "../ha/ha.ts";
import { vmLockFile, vmLockWaitMs } from "../locks.ts";
import type { Vm, Volume } from "../state.ts";
import type { TaskRun } from "../tasks.ts";
import { growVolume } from "../storage/disk-space.ts";
import { canDo } from "../storage/features.ts";
import {
  clonesOf,
  findStorage,
  findVolume,
  isOnNode,
  isVolumeId,
  splitVolumeId,
} from "../storage/volumes.ts";
import {
  demandDigest,
  demandUnlocked,
  drivesOf,
  findProcess,
  findVm,
  isCdrom,
  isUnused,
  parseValue,
  printDrive,
  type Config,
} from "./config/config.ts";
import { makeBase, parseSize, printSize } from "./config/disks.ts";
import { findSnapshot } from "./snapshots.ts";
import { currentView, fullView, listView } from "./status.ts";

export const vmCalls: Handlers<
  | "GET /nodes/{node}/qemu"
  | "DELETE /nodes/{node}/qemu/{vmid}"
  | "GET /nodes/{node}/qemu/{vmid}/status/current"
  | "GET /nodes/{node}/qemu/{vmid}/feature"
  | "GET /nodes/{node}/qemu/{vmid}/rrddata"
  | "PUT /nodes/{node}/qemu/{vmid}/resize"
  | "POST /nodes/{node}/qemu/{vmid}/template"
> = {
  "GET /nodes/{node}/qemu": (context, { node, full }) =>
    inHashOrder(context.cluster, Object.values(context.cluster.state.vms))
      .filter((vm) => vm.node === node && context.may.all(`/vms/${vm.vmid}`, ["VM.Audit"]))
      .map((vm) => (full ? fullView(context.cluster, vm) : listView(context.cluster, vm))),

  "GET /nodes/{node}/qemu/{vmid}/status/current": ({ cluster }, { node, vmid }) =>
    currentView(cluster, findVm(cluster, node, vmid)),

  "DELETE /nodes/{node}/qemu/{vmid}": (context, params) => {
    const { cluster } = context;
    const { node, vmid, skiplock } = params;
    if (skiplock && !context.caller.isRoot) {
      throw badParameter({ skiplock: "Only root may use this option." });
    }
    const found = findVm(cluster, node, vmid);
    demandUnprotected(found);
    if (resourceOf(cluster, vmid) && !params.purge) {
      throw refusal(`unable to remove VM ${vmid} - used in HA resources and purge parameter not set.`);
    }
    demandRemovable(found);
    return context.task(node, "qmdestroy", vmid, (run) =>
      cluster.locks.hold(vmLockFile(vmid), vmLockWaitMs, async () => {
        const vm = findVm(cluster, node, vmid);
        demandRemovable(vm);
        if (!skiplock && vm.config["lock"] !== "suspended") demandUnlocked(vm);
        if (params.purge) run.log(`purging VM ${vmid} from related configurations..`);
        demandNoClones(context, vm);
        await cluster.clock.sleep(cluster.latencies.removeMs, run.signal);
        if (resourceOf(cluster, vmid)) {
          forgetResource(cluster, sidOf(vmid));
          run.log(`NOTE: removed VM ${vmid} from HA resource configuration.`);
        }
        removeVm(context, vm, params["destroy-unreferenced-disks"] ?? false);
      }),
    );
  },

  "GET /nodes/{node}/qemu/{vmid}/feature": ({ cluster }, { node, vmid, feature, snapname }) => {
    const vm = findProcess(cluster, node, vmid);
    const config = snapname === undefined ? vm.config : findSnapshot(vm, snapname).config;
    const volumes = drivesOf(config)
      .filter(({ drive }) => !isCdrom(drive))
      .map(({ file }) => findVolume(cluster, file, node));
    const isSnapshot = snapname !== undefined;
    const hasFeature = volumes.every((volume) => volume && canDo(cluster, volume, feature, isSnapshot));
    const nodes = nodeNames(cluster).filter((name) => canReach(cluster, config, node, name));
    return { hasFeature: hasFeature ? 1 : 0, nodes };
  },

  "GET /nodes/{node}/qemu/{vmid}/rrddata": ({ cluster }) => {
    const minute = Math.floor(cluster.clock.now() / 60_000) * 60;
    return Array.from({ length: 70 }, (_, index) => ({ time: minute - (69 - index) * 60 }));
  },

  "PUT /nodes/{node}/qemu/{vmid}/resize": (context, params) => {
    const { cluster } = context;
    if (params.skiplock && !context.caller.isRoot) {
      throw badParameter({ skiplock: "Only root may use this option." });
    }
    return context.task(params.node, "resize", params.vmid, (run) =>
      cluster.locks.hold(vmLockFile(params.vmid), vmLockWaitMs, async () => {
        const vm = findVm(cluster, params.node, params.vmid);
        demandDigest(vm, params.digest);
        if (!params.skiplock) demandUnlocked(vm);
        await resize(context, run, vm, params.disk, params.size);
      }),
    );
  },

  "POST /nodes/{node}/qemu/{vmid}/template": (context, { node, vmid, disk }) => {
    const { cluster } = context;
    const vm = findVm(cluster, node, vmid);
    demandUnlocked(vm);
    if (Object.keys(vm.snapshots).length > 0) {
      throw refusal("unable to create template, because VM contains snapshots");
    }
    if (Number(vm.config["template"] ?? 0) === 1 && disk === undefined) {
      throw refusal("you can't convert a template to a template");
    }
    if (vm.running) throw refusal("you can't convert a VM to template if VM is running");
    return context.task(node, "qmtemplate", vmid, () =>
      cluster.locks.hold(vmLockFile(vmid), vmLockWaitMs, async () => becomeTemplate(context, vm, disk)),
    );
  },
};

/** Whether another node sees all that a machine's drives hold. */
const canReach = (cluster: Cluster, config: Config, from: string, node: string): boolean =>
  drivesOf(config)
    .filter(({ file }) => isVolumeId(file))
    .map(({ file }) => findStorage(cluster, splitVolumeId(file).storage))
    .every((storage) => isOnNode(storage, node) && (node === from || storage.shared || storage.nodes));

function demandUnprotected(vm: Vm): void {
  if (Number(vm.config["protection"] ?? 0) === 1) {
    throw refusal(`can't remove VM ${vm.vmid} - protection mode enabled`);
  }
}

function demandRemovable(vm: Vm): void {
  demandUnprotected(vm);
  if (vm.running) throw refusal(`VM ${vm.vmid} is running - destroy failed`);
}

function demandNoClones({ cluster }: CallContext, vm: Vm): void {
  if (Number(vm.config["template"] ?? 0) !== 1) return;
  for (const { file } of drivesOf(vm.config)) {
    const volume = findVolume(cluster, file, vm.node);
    if (!volume || clonesOf(cluster, volume).length === 0) continue;
    throw refusal(`base volume '${file}' is still in use by linked cloned`);
  }
}

/** Disks that the machine or its waiting changes name go with it, stray ones only when asked for. */
function removeVm({ cluster }: CallContext, vm: Vm, withStrays: boolean): void {
  const { state } = cluster;
  const named = new Set<Volume | undefined>(
    [vm.config, vm.pending.set]
      .flatMap((config) => [
        ...drivesOf(config).map(({ file }) => file),
        ...Object.keys(config)
          .filter(isUnused)
          .map((key) => String(config[key])),
      ])
      .map((volid) => findVolume(cluster, volid, vm.node)),
  );
  state.volumes = state.volumes.filter(
    (volume) => volume.vmid !== vm.vmid || !(withStrays || named.has(volume)),
  );
  delete state.vms[String(vm.vmid)];
  for (const pool of Object.values(state.pools)) pool.vms = pool.vms.filter((id) => id !== vm.vmid);
  state.acl = state.acl.filter((grant) => grant.path !== `/vms/${vm.vmid}`);
  cluster.changed();
}

async function resize(
  context: CallContext,
  run: TaskRun,
  vm: Vm,
  slot: string,
  wanted: string,
): Promise<void> {
  const { cluster } = context;
  const value = vm.config[slot];
  if (value === undefined) throw refusal(`disk '${slot}' does not exist`);
  const drive = parseValue(slot, value);
  const { file = "" } = drive;
  if (!isVolumeId(file)) throw refusal(`unable to parse volume ID '${file}'`);
  if (isCdrom(drive)) throw refusal("you can't resize a cdrom");
  const volume = findVolume(cluster, file, vm.node);
  if (!volume) throw refusal(`disk '${slot}' has no associated volume`);
  context.demand.all(`/storage/${volume.storage}`, ["Datastore.AllocateSpace"]);
  const bytes = wanted.startsWith("+") ? volume.sizeBytes + parseSize(wanted.slice(1)) : parseSize(wanted);
  if (bytes < volume.sizeBytes) throw refusal("shrinking disks is not supported");
  if (bytes === volume.sizeBytes) return;
  await cluster.clock.sleep(cluster.latencies.resizeMs, run.signal);
  growVolume(cluster, volume, bytes);
  vm.config[slot] = printDrive(slot, { ...drive, size: printSize(bytes) });
  run.log("Image resized.");
  cluster.changed();
}

/** `only` leaves the other disks as they are. */
function becomeTemplate({ cluster }: CallContext, vm: Vm, only: string | undefined): void {
  for (const { slot, drive, file } of drivesOf(vm.config)) {
    const volume = findVolume(cluster, file, vm.node);
    if (!volume || isCdrom(drive) || volume.vmid !== vm.vmid || slot !== (only ?? slot)) continue;
    if (!canDo(cluster, volume, "template")) continue;
    makeBase(volume);
    vm.config[slot] = printDrive(slot, { ...drive, file: `${volume.storage}:${volume.name}` });
  }
  vm.config["template"] = 1;
  cluster.changed();
}
