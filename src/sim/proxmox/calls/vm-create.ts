import { ApiError, refusal } from "../api-error.ts";
import type { CallContext, Handlers } from "../call.ts";
import type { Params } from "../../../clients/proxmox/endpoints/index.ts";
import type { Cluster } from "../cluster.ts";
import type { Vm } from "../state.ts";
import { taskError } from "../api-error.ts";
import { addVm, dropVm, firstConfig, isDrive, storedValue, type Config } from "../vm-config.ts";
import { isCopying, placeDrives } from "../vm-disks.ts";
import { demandFirstTags } from "../tag-access.ts";
import {
  demandConfigRights,
  demandDriveRights,
  demandNetworkRights,
  demandNewDevices,
} from "../vm-permissions.ts";
import type { TaskRun } from "../tasks.ts";
import { demandSshKeys } from "./vm-config.ts";
import { startLater } from "./vm-power.ts";

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

export const vmCreateCalls: Handlers<"POST /nodes/{node}/qemu"> = {
  "POST /nodes/{node}/qemu": (context, params) => {
    const { cluster } = context;
    const { vmid, node, pool } = params;
    const config = configOf(cluster, params);
    demandPool(context, vmid, pool);
    if (params.archive !== undefined) throw refusal(`missing privileges to access ${params.archive}`);
    demandDriveRights(context, vmid, config);
    demandConfigRights(context, { vmid, pool }, Object.keys(config));
    demandNewDevices(context, { vmid, pool }, config);
    demandNetworkRights(context, config);
    demandSshKeys(config);
    const vm = claimNumber(cluster, node, vmid);
    return context.task(node, "qmcreate", vmid, async (run) => {
      await build(context, run, vm, config, pool);
      if (params.start) startLater(context, vm);
    });
  },
};

function configOf(cluster: Cluster, params: Params<"POST /nodes/{node}/qemu">): Config {
  const given = Object.entries(params).filter(([key, value]) => !ownParams.has(key) && value !== undefined);
  return Object.fromEntries(
    given.map(([key, value]) => {
      const slot = key === "cdrom" ? "ide2" : key;
      return [slot, isDrive(slot) ? String(value) : storedValue(key, value ?? "", cluster, true)];
    }),
  );
}

function demandPool(context: CallContext, vmid: number, pool: string | undefined): void {
  if (pool !== undefined && !context.cluster.state.pools[pool]) {
    throw new ApiError(403, `Permission check failed (pool '${pool}' does not exist)\n`);
  }
  const paths = [`/vms/${vmid}`, ...(pool === undefined ? [] : [`/pool/${pool}`])];
  if (!paths.some((path) => context.may.all(path, ["VM.Allocate"]))) {
    throw new ApiError(403, "Permission check failed\n");
  }
}

/** From here on the number is taken; the lock in the configuration says by whom. */
function claimNumber(cluster: Cluster, node: string, vmid: number): Vm {
  const holder = cluster.state.vms[String(vmid)];
  if (holder) {
    throw refusal(`unable to create VM ${vmid} - VM ${vmid} already exists on node '${holder.node}'`);
  }
  return addVm(cluster, node, vmid, { lock: "create" });
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
    const placed = await placeDrives(cluster, run, vm, drives);
    await cluster.clock.sleep(isImport ? cluster.latencies.importMs : cluster.latencies.createMs, run.signal);
    vm.config = firstConfig(cluster, { ...wanted, ...placed.config });
    if (pool !== undefined) cluster.state.pools[pool]?.vms.push(vm.vmid);
    cluster.changed();
  } catch (error) {
    dropVm(cluster, vm);
    throw refusal(`unable to create VM ${vm.vmid} - ${taskError(error)}`);
  }
}
