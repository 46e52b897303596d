import { badParameter, refusal } from "../api-error.ts";
import type { CallContext, Handlers } from "../call.ts";
import { nodeNames } from "../cluster.ts";
import { resourceOf } from "../ha/ha.ts";
import { vmLockFile, vmLockWaitMs } from "../locks.ts";
import { localDisks, migrateVm, missingStorages, storageMap, type LocalDisk } from "./migrate.ts";
import type { TaskRun } from "../tasks.ts";
import { demandUnlocked, findVm } from "./config/config.ts";
import { volumeId } from "../storage/volumes.ts";

const rootOnly = ["force", "migration_type", "migration_network"] as const;

export const vmMigrateCalls: Handlers<
  "GET /nodes/{node}/qemu/{vmid}/migrate" | "POST /nodes/{node}/qemu/{vmid}/migrate"
> = {
  "GET /nodes/{node}/qemu/{vmid}/migrate": ({ cluster }, { node, vmid }) => {
    const vm = findVm(cluster, node, vmid);
    const others = nodeNames(cluster).filter((name) => name !== node);
    const missing = new Map(others.map((name) => [name, missingStorages(cluster, vm, name)]));
    return {
      running: vm.running ? 1 : 0,
      local_disks: localDisks(cluster, vm).map(diskView),
      local_resources: [],
      "mapped-resources": [],
      "mapped-resource-info": {},
      "has-dbus-vmstate": cluster.version === 9 ? 1 : undefined,
      allowed_nodes: others.filter((name) => missing.get(name)?.length === 0),
      // Also lists the nodes that are allowed, with nothing against them.
      not_allowed_nodes: Object.fromEntries(
        [...missing].map(([name, storages]) => [
          name,
          storages.length > 0 ? { unavailable_storages: storages } : {},
        ]),
      ),
    };
  },

  "POST /nodes/{node}/qemu/{vmid}/migrate": (context, params) => {
    const { cluster } = context;
    const { node, vmid, target } = params;
    if (target === node) throw badParameter({ target: "target is local node." });
    if (!cluster.file.nodes[target]) throw refusal(`no such cluster node '${target}'`);
    const reserved = rootOnly.find((name) => params[name] !== undefined);
    if (reserved && !context.caller.isRoot) {
      throw badParameter({ [reserved]: "Only root may use this option." });
    }
    const vm = findVm(cluster, node, vmid);
    demandUnlocked(vm);
    if (vm.running && !params.online) throw refusal("can't migrate running VM without --online");
    const move = (run: TaskRun) =>
      cluster.locks.hold(vmLockFile(vmid), vmLockWaitMs, async () => {
        const found = findVm(cluster, node, vmid);
        demandUnlocked(found);
        await migrateVm(
          cluster,
          found,
          {
            target,
            withLocalDisks: params["with-local-disks"] ?? false,
            storages: storageMap(params.targetstorage),
          },
          run,
        );
      });
    return resourceOf(cluster, vmid)
      ? handOver(context, node, vmid, target, move)
      : context.task(node, "qmigrate", vmid, move);
  },
};

/** The manager of a highly available machine is asked to do it, and does it in a task of its own. */
function handOver(
  context: CallContext,
  node: string,
  vmid: number,
  target: string,
  move: (run: TaskRun) => Promise<void>,
): string {
  return context.task(node, "hamigrate", vmid, async (run) => {
    run.log(`Requesting HA migration for VM ${vmid} to node ${target}`);
    context.task(node, "qmigrate", vmid, move);
  });
}

const diskView = ({ key, volume, ...disk }: LocalDisk): Record<string, unknown> => ({
  volid: volumeId(volume),
  size: volume.sizeBytes,
  drivename: disk.isUnused ? undefined : key,
  cdrom: disk.isMedium ? 1 : 0,
  shared: 0,
  replicate: 1,
  is_attached: disk.isUnused ? 0 : 1,
  is_cloudinit: disk.isCloudInit ? 1 : 0,
  is_tpmstate: key === "tpmstate0" ? 1 : 0,
  is_unused: disk.isUnused ? 1 : 0,
  is_vmstate: 0,
});
