import { badParameter, refusal } from "../api-error.ts";
import type { CallContext, Handlers } from "../call.ts";
import { nodeNames } from "../cluster.ts";
import { resourceOf } from "../ha/ha.ts";
import { callManager } from "../ha/manager.ts";
import { companions, blockersOn } from "../ha/rules.ts";
import { vmLockFile, vmLockWaitMs } from "../locks.ts";
import {
  localDisks,
  localResources,
  migrateVm,
  missingStorages,
  storageMap,
  type LocalDisk,
} from "./migrate.ts";
import type { TaskRun } from "../tasks.ts";
import { splitList } from "../parameters/formats.ts";
import { demandUnlocked, drivesOf, findVm, parseValue } from "./config/config.ts";
import { parseSize } from "./config/disks.ts";
import type { Vm } from "../state.ts";
import { contentOf, isVolumeId, splitVolumeId, storageOnNode, volumeId } from "../storage/volumes.ts";
import { demandRootFor } from "./power-calls.ts";

const rootOnly = ["force", "migration_type", "migration_network"] as const;

export const vmMigrateCalls: Handlers<
  "GET /nodes/{node}/qemu/{vmid}/migrate" | "POST /nodes/{node}/qemu/{vmid}/migrate"
> = {
  "GET /nodes/{node}/qemu/{vmid}/migrate": ({ cluster }, { node, vmid }) => {
    const vm = findVm(cluster, node, vmid);
    demandUnlocked(vm);
    const others = nodeNames(cluster).filter((name) => name !== node);
    const against = new Map(
      others.map((name) => {
        const storages = missingStorages(cluster, vm, name);
        const blocking = blockersOn(cluster, vmid, name);
        return [
          name,
          {
            ...(storages.length > 0 && { unavailable_storages: storages }),
            ...(blocking.length > 0 && { "blocking-ha-resources": blocking }),
          },
        ];
      }),
    );
    const together = companions(cluster, vmid);
    return {
      running: vm.running ? 1 : 0,
      local_disks: localDisks(cluster, vm).map((disk) => diskView(vm, disk)),
      local_resources: localResources(vm),
      "mapped-resources": [],
      "mapped-resource-info": {},
      "has-dbus-vmstate": cluster.version === 9 ? 1 : undefined,
      "dependent-ha-resources": together.length > 0 ? together : undefined,
      allowed_nodes: others.filter((name) => Object.keys(against.get(name) ?? {}).length === 0),
      // Also lists the nodes that are allowed, with nothing against them.
      not_allowed_nodes: Object.fromEntries(against),
    };
  },

  "POST /nodes/{node}/qemu/{vmid}/migrate": (context, params) => {
    const { cluster } = context;
    const { node, vmid, target } = params;
    if (target === node) throw badParameter({ target: "target is local node." });
    if (!cluster.file.nodes[target]) throw refusal(`no such cluster node '${target}'`);
    demandRootFor(context, params, rootOnly);
    const vm = findVm(cluster, node, vmid);
    demandUnlocked(vm);
    if (vm.running && !params.online) throw refusal("can't migrate running VM without --online");
    demandClearMap(params.targetstorage ?? "");
    if (Object.values(storageMap(params.targetstorage)).includes("1"))
      demandSameStorages(context, vm, target);
    demandTargets(context, vmid, target, params.targetstorage);
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
    const resource = resourceOf(cluster, vmid);
    if (!resource) return context.task(node, "qmigrate", vmid, move);
    // Its manager is only asked for it, and does it on its next round, in a task of its own.
    return context.task(node, "hamigrate", vmid, async (run) => {
      run.log(`Requesting HA migration for VM ${vmid} to node ${target}`);
      const [blocking] = blockersOn(cluster, vmid, target);
      if (blocking)
        throw refusal(`cannot migrate resource 'vm:${vmid}' to node '${target}': ${blocking.sid}`);
      resource.moveTo = target;
      cluster.changed();
      callManager(cluster, vmid);
    });
  },
};

/** Where disks keep their storage, the other node must have it too. */
function demandSameStorages({ cluster }: CallContext, vm: Vm, target: string): void {
  for (const { file } of drivesOf(vm.config)) {
    if (!isVolumeId(file)) continue;
    const { storage, name } = splitVolumeId(file);
    const found = storageOnNode(cluster, storage, vm.node);
    storageOnNode(cluster, storage, target);
    const kind = contentOf(found, name);
    if (!found.content.includes(kind)) {
      throw refusal(`${file}: content type '${kind}' is not available on storage '${storage}'`);
    }
  }
}

/** Storages that disks shall go to must be there, and free to use; whether the disks can go at all shows in the task. */
function demandTargets(
  context: CallContext,
  vmid: number,
  target: string,
  targetstorage: string | undefined,
): void {
  const named = Object.values(storageMap(targetstorage)).filter((name) => name !== "1");
  if (named.length > 0) context.demand.all(`/vms/${vmid}`, ["VM.Config.Disk"]);
  for (const name of named) {
    const { content } = storageOnNode(context.cluster, name, target);
    context.demand.all(`/storage/${name}`, ["Datastore.AllocateSpace"]);
    if (!content.includes("images")) throw refusal(`storage '${name}' does not support vm images`);
  }
}

/** A map says of each storage once where it goes, and of the rest once; or that all stays. */
function demandClearMap(text: string): void {
  const parts = splitList(text);
  const sources = parts.filter((part) => part.includes(":")).map((part) => part.split(":")[0]);
  const defaults = parts.filter((part) => part !== "1" && !part.includes(":"));
  const twice = sources.find((source, index) => sources.indexOf(source) !== index);
  const problem =
    twice !== undefined
      ? `duplicate mapping for source '${twice}'`
      : defaults.length > 1
        ? "default target ID can only be provided once"
        : parts.includes("1") && parts.some((part) => part !== "1")
          ? "identity mapping cannot be combined with other mappings"
          : undefined;
  if (problem !== undefined) {
    throw badParameter({ targetstorage: `failed to parse storage map: ${problem}\n` });
  }
}

/** The size is what the configuration says of it; an unused disk and a fresh cloud-init drive say nothing. */
const diskView = (vm: Vm, { key, volume, ...disk }: LocalDisk): Record<string, unknown> => ({
  volid: volumeId(volume),
  size: sizeIn(vm, key),
  drivename: disk.isUnused ? undefined : key,
  cdrom: disk.isMedium || disk.isCloudInit ? 1 : 0,
  shared: 0,
  replicate: parseValue(key, vm.config[key] ?? "")["replicate"] === "0" ? 0 : 1,
  referenced_in_snapshot: snapshotsWith(vm, volumeId(volume)),
  is_attached: disk.isUnused ? 0 : 1,
  is_cloudinit: disk.isCloudInit ? 1 : 0,
  is_tpmstate: key === "tpmstate0" ? 1 : 0,
  is_unused: disk.isUnused ? 1 : 0,
  is_vmstate: 0,
});

function sizeIn({ config }: Vm, key: string): number | undefined {
  const { size } = parseValue(key, config[key] ?? "");
  return size === undefined ? undefined : parseSize(size);
}

function snapshotsWith(vm: Vm, volid: string): Record<string, 1> | undefined {
  const names = Object.entries(vm.snapshots)
    .filter(([, { config }]) => drivesOf(config).some(({ file }) => file === volid))
    .map(([name]) => [name, 1] as const);
  return names.length > 0 ? Object.fromEntries(names) : undefined;
}
