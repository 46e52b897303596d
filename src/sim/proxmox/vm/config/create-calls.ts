import { ApiError, badParameter, refusal } from "../../api-error.ts";
import type { CallContext, Handlers } from "../../call.ts";
import type { Cluster } from "../../cluster.ts";
import { tidyDrives } from "./drives.ts";
import type { Vm } from "../../state.ts";
import { taskError } from "../../api-error.ts";
import { addVm, dropVm, firstConfig, givenConfig, isDrive, type Config } from "./config.ts";
import { isCopying, placeDrives } from "./disks.ts";
import { demandFirstTags } from "../../access/tag-access.ts";
import {
  demandConfigRights,
  demandDriveRights,
  demandNetworkRights,
  demandNewDevices,
  rootPathsOnly,
} from "./permissions.ts";
import type { Params } from "../../../../clients/proxmox/endpoints/index.ts";
import { sidOf } from "../../ha/ha.ts";
import { callManager } from "../../ha/manager.ts";
import { isVolumeId } from "../../storage/volumes.ts";
import { demandArchive } from "../../backup/archives.ts";
import { restoreVm } from "../../backup/restore.ts";
import { demandFittingHardware, withBoard } from "./machine.ts";
import { withoutSmp } from "./pending.ts";
import type { TaskRun } from "../../tasks.ts";
import { demandSshKeys } from "./change.ts";
import { startLater } from "../power-calls.ts";

/** Parameters of create that are no configuration keys. */
const ownParams = new Set([
  "node",
  "vmid",
  "archive",
  "bwlimit",
  "force",
  "ha-managed",
  "import-working-storage",
  "live-restore",
  "pool",
  "start",
  "storage",
  "unique",
]);

type CreateParams = Params<"POST /nodes/{node}/qemu">;

export const vmCreateCalls: Handlers<"POST /nodes/{node}/qemu"> = {
  "POST /nodes/{node}/qemu": (context, params) => {
    const { cluster } = context;
    const { vmid, node, pool } = params;
    const given = givenConfig(cluster, params, ownParams, true);
    demandSshKeys(given);
    demandPool(context, vmid, pool, params);
    if (params.archive !== undefined) return restore(context, { ...params, archive: params.archive }, given);
    demandDriveRights(context, vmid, given);
    demandConfigRights(context, { vmid, pool }, Object.keys(given));
    demandNewDevices(context, { vmid, pool }, given);
    demandNetworkRights(context, given);
    const config = tidyDrives(cluster, given);
    const vm = claimNumber(cluster, node, vmid);
    return context.task(node, "qmcreate", vmid, async (run) => {
      await build(context, run, vm, config, pool);
      if (params["ha-managed"]) manage(cluster, vm, params.start ?? false);
      if (params.start) startLater(context, vm);
    });
  },
};

function demandPool(
  context: CallContext,
  vmid: number,
  pool: string | undefined,
  { storage, "ha-managed": isManaged }: Pick<CreateParams, "storage" | "ha-managed">,
): void {
  if (pool !== undefined && !context.cluster.state.pools[pool]) {
    throw new ApiError(403, `Permission check failed (pool '${pool}' does not exist)\n`);
  }
  if (storage !== undefined) context.demand.all(`/storage/${storage}`, ["Datastore.AllocateSpace"]);
  if (isManaged) context.demand.all("/", ["Sys.Console"]);
  const paths = [`/vms/${vmid}`, ...(pool === undefined ? [] : [`/pool/${pool}`])];
  if (!paths.some((path) => context.may.all(path, ["VM.Allocate"]))) {
    throw new ApiError(403, "Permission check failed\n");
  }
}

/** A machine made from a backup: what is given beside it takes the place of what the backup says, drives excepted. */
function restore(context: CallContext, params: CreateParams & { archive: string }, given: Config): string {
  const { cluster } = context;
  const { vmid, node, pool, archive } = params;
  const drive = Object.keys(given).filter(isDrive).toSorted()[0];
  if (drive !== undefined) throw badParameter({ [drive]: "option conflicts with option 'archive'" });
  if (archive === "-") throw refusal("pipe requires cli environment");
  if (!isVolumeId(archive)) {
    throw context.caller.isRoot ? refusal(`can't find archive file '${archive}'`) : rootPathsOnly();
  }
  demandArchive(context, vmid, archive);
  demandConfigRights(context, { vmid, pool }, Object.keys(given));
  demandNetworkRights(context, given);
  const vm = claimNumber(cluster, node, vmid, "restore");
  return context.task(node, "qmrestore", vmid, async (run) => {
    try {
      if (given["tags"] !== undefined) demandFirstTags(context, vmid, String(given["tags"]));
      const { storage, unique = false } = params;
      await restoreVm(context, run, vm, { archive, storage, isUnique: unique, given });
      if (pool !== undefined) cluster.state.pools[pool]?.vms.push(vmid);
    } catch (error) {
      dropVm(cluster, vm);
      throw refusal(`unable to restore VM ${vmid} - ${taskError(error)}`);
    }
    if (params.start) startLater(context, vm);
  });
}

/** From here on the number is taken; the lock in the configuration says by whom. */
function claimNumber(
  cluster: Cluster,
  node: string,
  vmid: number,
  verb: "create" | "restore" = "create",
): Vm {
  const holder = cluster.state.vms[String(vmid)];
  if (holder) {
    throw refusal(`unable to ${verb} VM ${vmid} - VM ${vmid} already exists on node '${holder.node}'`);
  }
  return addVm(cluster, node, vmid, { lock: "create" });
}

/** From the first moment on the machine is the manager's. */
function manage(cluster: Cluster, { vmid }: Vm, isStarted: boolean): void {
  const state = isStarted ? "started" : "stopped";
  cluster.state.ha.resources[sidOf(vmid)] = { state, addedAt: cluster.clock.now() };
  cluster.changed();
  callManager(cluster, vmid);
}

/** On failure nothing is left, neither disks nor the number. */
async function build(
  context: CallContext,
  run: TaskRun,
  vm: Vm,
  wanted: Config,
  pool: string | undefined,
): Promise<void> {
  const { cluster } = context;
  try {
    // Before the machine is in its pool: rights that come from the pool do not count.
    if (wanted["tags"] !== undefined) demandFirstTags(context, vm.vmid, String(wanted["tags"]));
    const drives = Object.fromEntries(Object.entries(wanted).filter(([key]) => isDrive(key)));
    const isImport = Object.entries(drives).some(([slot, value]) => isCopying(slot, value));
    const placed = await placeDrives(cluster, run, vm, drives, drives, wanted["template"] === 1);
    demandFittingHardware(wanted);
    await cluster.clock.sleep(isImport ? cluster.latencies.importMs : cluster.latencies.createMs, run.signal);
    vm.config = withoutSmp(withBoard(cluster, firstConfig(cluster, { ...wanted, ...placed.config })));
    if (pool !== undefined) cluster.state.pools[pool]?.vms.push(vm.vmid);
    cluster.changed();
  } catch (error) {
    dropVm(cluster, vm);
    throw refusal(`unable to create VM ${vm.vmid} - ${taskError(error)}`);
  }
}
