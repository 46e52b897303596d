import { ApiError, refusal, taskError } from "../api-error.ts";
import type { CallContext, Handlers } from "../call.ts";
import type { Params } from "../../../clients/proxmox/endpoints/index.ts";
import { vmLockFile, vmLockWaitMs } from "../locks.ts";
import type { Vm } from "../state.ts";
import { findStorage, splitVolumeId } from "../storage.ts";
import { clonedConfig, cloneVm, demandCloneable } from "../vm-clone.ts";
import { addVm, demandUnlocked, dropVm, drivesOf, findProcess, findVm, isCdrom } from "../vm-config.ts";
import { demandNetworkRights } from "../vm-permissions.ts";

type CloneParams = Params<"POST /nodes/{node}/qemu/{vmid}/clone">;

export const vmCloneCalls: Handlers<"POST /nodes/{node}/qemu/{vmid}/clone"> = {
  "POST /nodes/{node}/qemu/{vmid}/clone": (context, params) => {
    const { cluster } = context;
    const source = findProcess(cluster, params.node, params.vmid);
    const isTemplate = Number(source.config["template"] ?? 0) === 1;
    const isFull = params.full ?? !isTemplate;
    const node = params.target ?? params.node;
    demandTarget(context, params, isFull);
    demandUnlocked(source);
    clonedConfig(source, params.snapname);
    demandUsable(context, source, params, node);
    demandCloneable(cluster, source, isFull, params.snapname);
    if (cluster.state.vms[String(params.newid)]) {
      throw refusal(`unable to create VM ${params.newid}: config file already exists`);
    }
    const target = addVm(cluster, node, params.newid, {
      lock: "clone",
      description: " qmclone temporary file",
    });
    return context.task(params.node, "qmclone", params.vmid, (run) =>
      cluster.locks.hold(vmLockFile(params.newid), vmLockWaitMs, async () => {
        try {
          const { name, description, storage, format, snapname } = params;
          await cloneVm(cluster, run, {
            source: findVm(cluster, params.node, params.vmid),
            target,
            isFull,
            ...(name !== undefined && { name }),
            ...(description !== undefined && { description }),
            ...(storage !== undefined && { storage }),
            ...(format !== undefined && { format }),
            ...(snapname !== undefined && { snapname }),
          });
        } catch (error) {
          dropVm(cluster, target);
          throw refusal(`clone failed: ${taskError(error)}`);
        }
        if (params.pool !== undefined) cluster.state.pools[params.pool]?.vms.push(params.newid);
      }),
    );
  },
};

function demandTarget({ cluster }: CallContext, params: CloneParams, isFull: boolean): void {
  const { pool, target, storage, format } = params;
  if (pool !== undefined && !cluster.state.pools[pool]) {
    throw new ApiError(403, `Permission check failed (pool '${pool}' does not exist)\n`);
  }
  if (target !== undefined && !cluster.file.nodes[target]) throw refusal(`no such cluster node '${target}'`);
  if (storage !== undefined && !isFull) throw refusal("parameter 'storage' not allowed for linked clones");
  if (format !== undefined && !isFull) throw refusal("parameter 'format' not allowed for linked clones");
}

/** Every storage a copy goes to, every bridge it is put on; another node must reach all of them. */
function demandUsable(context: CallContext, source: Vm, params: CloneParams, node: string): void {
  const { cluster } = context;
  demandNetworkRights(context, source.config);
  for (const { drive, file } of drivesOf(source.config)) {
    if (file === "none" || isCdrom(drive)) continue;
    const from = splitVolumeId(file).storage;
    const name = params.storage ?? from;
    context.demand.all(`/storage/${name}`, ["Datastore.AllocateSpace"]);
    if (node === source.node) continue;
    if (!findStorage(cluster, from).shared) {
      throw refusal(`can't clone VM to node '${node}' (VM uses local storage)`);
    }
    if (!findStorage(cluster, name).shared) throw refusal(`can't clone to non-shared storage '${name}'`);
  }
}
