import { ApiError, badParameter, refusal, taskError } from "../api-error.ts";
import type { CallContext, Handlers } from "../call.ts";
import type { Params } from "../../../clients/proxmox/endpoints/index.ts";
import { vmLockFile, vmLockWaitMs } from "../locks.ts";
import type { Vm } from "../state.ts";
import { findStorage, splitVolumeId, storageOnNode } from "../storage/volumes.ts";
import { clonedConfig, cloneVm, demandCloneable } from "./clone.ts";
import { addVm, demandUnlocked, dropVm, drivesOf, findProcess, findVm, isCdrom } from "./config/config.ts";
import { demandNetworkRights } from "./config/permissions.ts";

type CloneParams = Params<"POST /nodes/{node}/qemu/{vmid}/clone">;

export const vmCloneCalls: Handlers<"POST /nodes/{node}/qemu/{vmid}/clone"> = {
  "POST /nodes/{node}/qemu/{vmid}/clone": (context, params) => {
    const { cluster } = context;
    const source = findProcess(cluster, params.node, params.vmid);
    const isTemplate = Number(source.config["template"] ?? 0) === 1;
    const isFull = params.full ?? !isTemplate;
    const node = params.target ?? params.node;
    demandTarget(context, params);
    demandUnlocked(source);
    clonedConfig(source, params.snapname);
    demandFull(params, isFull);
    demandUsable(context, source, params, node);
    const holder = cluster.state.vms[String(params.newid)];
    if (holder?.node === params.node) {
      throw refusal(`unable to create VM ${params.newid}: config file already exists`);
    }
    demandCloneable(cluster, source, isFull, params.snapname);
    if (holder) return context.task(params.node, "qmclone", params.vmid, () => numberTaken(params));
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
            name,
            description,
            storage,
            format,
            snapname,
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

function demandTarget({ cluster }: CallContext, params: CloneParams): void {
  const { pool, target, storage } = params;
  if (pool !== undefined && !cluster.state.pools[pool]) {
    throw new ApiError(403, `Permission check failed (pool '${pool}' does not exist)\n`);
  }
  if (target !== undefined && !cluster.file.nodes[target]) throw refusal(`no such cluster node '${target}'`);
  if (storage === undefined) return;
  const found = storageOnNode(cluster, storage, params.node);
  if (!found.content.includes("images")) {
    throw badParameter({ storage: `storage '${storage}' does not support vm images` });
  }
  if (target === undefined || target === params.node) return;
  storageOnNode(cluster, storage, target);
  if (!found.shared) throw refusal(`can't clone to non-shared storage '${storage}'`);
}

function demandFull({ storage, format }: CloneParams, isFull: boolean): void {
  if (storage !== undefined && !isFull) throw refusal("parameter 'storage' not allowed for linked clones");
  if (format !== undefined && !isFull) throw refusal("parameter 'format' not allowed for linked clones");
}

/** Every storage a copy goes to, every bridge it is put on; another node must reach all it comes from. */
function demandUsable(context: CallContext, source: Vm, params: CloneParams, node: string): void {
  const { cluster } = context;
  const config = clonedConfig(source, params.snapname);
  let isReachable = true;
  for (const { drive, file } of drivesOf(config)) {
    if (file === "none") continue;
    if (isCdrom(drive) && file === "cdrom") {
      context.demand.all("/", ["Sys.Console"]);
      continue;
    }
    const from = splitVolumeId(file).storage;
    isReachable &&= findStorage(cluster, from).shared;
    if (isCdrom(drive)) continue;
    context.demand.all(`/storage/${params.storage ?? from}`, ["Datastore.AllocateSpace"]);
  }
  demandNetworkRights(context, config);
  if (node !== source.node && !isReachable) {
    throw refusal(`can't clone VM to node '${node}' (VM uses local storage)`);
  }
}

/** Machines of other nodes are met only where the new configuration is written. */
async function numberTaken({ node, newid }: CloneParams): Promise<never> {
  const file = `/etc/pve/nodes/${node}/qemu-server/${newid}.conf`;
  throw refusal(`close (rename) atomic file '${file}' failed: File exists`);
}
