import { ApiError, badParameter, refusal } from "../api-error.ts";
import type { CallContext, Handlers } from "../call.ts";
import type { Cluster } from "../cluster.ts";
import { splitList } from "../parameters/formats.ts";
import { inHashOrder } from "../hash-order.ts";
import type { Params } from "../../../clients/proxmox/endpoints/index.ts";
import type { SimStorage, Volume } from "../state.ts";
import { emptyBytes } from "./disk-space.ts";
import { diskFormats, storageDefinition } from "./definition.ts";
import { nextDiskName } from "./allocate-disk.ts";
import {
  addVolume,
  backedUpIn,
  contentOf,
  findStorage,
  findVolume,
  isFileStorage,
  isGivenTo,
  isOnNode,
  noSuchStorage,
  ownerOf,
  removeVolume,
  splitVolumeId,
  storageOnNode,
  storagesOf,
  usage,
  volumeId,
  volumePath,
  volumesOn,
} from "./volumes.ts";
import { parseSize } from "../vm/config/disks.ts";
import { demandBackup } from "../backup/archives.ts";

const readPrivileges = ["Datastore.Audit", "Datastore.AllocateSpace"];

export const storageCalls: Handlers<
  | "GET /storage"
  | "GET /storage/{storage}"
  | "GET /nodes/{node}/storage"
  | "GET /nodes/{node}/storage/{storage}/status"
  | "GET /nodes/{node}/storage/{storage}/content"
  | "POST /nodes/{node}/storage/{storage}/content"
  | "GET /nodes/{node}/storage/{storage}/content/{volume}"
  | "PUT /nodes/{node}/storage/{storage}/content/{volume}"
  | "DELETE /nodes/{node}/storage/{storage}/content/{volume}"
  | "GET /nodes/{node}/storage/{storage}/import-metadata"
> = {
  "GET /storage": (context, { type }) =>
    inHashOrder(context.cluster, Object.entries(storagesOf(context.cluster)))
      .filter(([name, storage]) => mayRead(context, name) && (type === undefined || storage.type === type))
      .map(([name]) => storageDefinition(context.cluster, name)),

  "GET /storage/{storage}": ({ cluster }, { storage }) => storageDefinition(cluster, storage),

  "GET /nodes/{node}/storage": (context, params) => {
    const { cluster } = context;
    const { node, content, target = node } = params;
    const kinds = splitList(content ?? "");
    // Those a node cannot use are listed too, unless somebody asks for what they would hold.
    const all = inHashOrder(cluster, Object.entries(storagesOf(cluster))).filter(
      ([, storage]) =>
        content === undefined ||
        (isOnNode(storage, node) && storage.content.some((kind) => kinds.includes(kind))),
    );
    const isNamed = (name: string) => params.storage === undefined || name === params.storage;
    if (params.storage !== undefined && !all.some(([name]) => isNamed(name))) throw noSuchStorage();
    return all
      .filter(
        ([name, storage]) => mayRead(context, name) && isNamed(name) && isReachedBy(storage, node, target),
      )
      .filter(([, storage]) => !params.enabled || storage.isDisabled !== true)
      .map(([name, storage]) => {
        const status = storageStatus(cluster, name, node);
        return {
          storage: name,
          ...status,
          used_fraction: status.total === 0 ? undefined : status.used / status.total,
          ...(params.format && status.enabled === 1 && diskFormats(storage, cluster.version)),
        };
      });
  },

  "GET /nodes/{node}/storage/{storage}/status": ({ cluster }, { node, storage }) => {
    if (!storagesOf(cluster)[storage]) throw noSuchStorage();
    return storageStatus(cluster, storage, node);
  },

  "GET /nodes/{node}/storage/{storage}/content": (context, { node, storage, content, vmid }) => {
    const { cluster } = context;
    storageOnNode(cluster, storage, node);
    return volumesOn(cluster, storage, node)
      .filter((volume) => maySeeVolume(context, volume))
      .filter((volume) => content === undefined || volume.content === content)
      .filter((volume) => vmid === undefined || (volume.vmid ?? backedUpIn(volume.name)) === vmid)
      .map(volumeRow);
  },

  "POST /nodes/{node}/storage/{storage}/content": ({ cluster }, params) => {
    const storage = storageOnNode(cluster, params.storage, params.node);
    const format = newFormat(cluster, storage, params);
    const bare = params.filename || freeName(cluster, storage, params, format);
    const name = isFileStorage(storage) ? `${params.vmid}/${bare}` : bare;
    if (findVolume(cluster, `${params.storage}:${name}`, params.node)) {
      throw refusal(`disk image '${volumePath(cluster, `${params.storage}:${name}`)}' already exists`);
    }
    const size = /[MG]$/.test(params.size) ? parseSize(params.size) : Number(params.size) * 1024;
    const volume = addVolume(cluster, params.node, {
      storage: params.storage,
      name,
      content: "images",
      format,
      sizeBytes: size,
      usedBytes: emptyBytes(storage, format, size),
      vmid: params.vmid,
    });
    return volumeId(volume);
  },

  "GET /nodes/{node}/storage/{storage}/content/{volume}": (context, params) => {
    const volid = fullVolumeId(context.cluster, params.storage, params.volume);
    demandVolume(context, volid);
    const volume = findVolume(context.cluster, volid, params.node);
    if (!volume) throw refusal(`volume_size_info on '${volid}' failed - no format`);
    if (volume.sizeBytes === 0) throw refusal(`volume '${volid}' has size zero`);
    return {
      path: volumePath(context.cluster, volid),
      size: volume.sizeBytes,
      used: volume.usedBytes,
      format: volume.format === "iso" ? "raw" : volume.format,
      ...(volume.content === "backup" && { notes: volume.machine?.notes ?? "", protected: 0 }),
    };
  },

  "PUT /nodes/{node}/storage/{storage}/content/{volume}": (context, params) => {
    const { cluster } = context;
    const volid = fullVolumeId(cluster, params.storage, params.volume);
    demandVolume(context, volid);
    const backup = findVolume(cluster, volid, params.node)?.machine;
    if (params.notes !== undefined) {
      if (!backup) throw refusal("only backups can have notes");
      backup.notes = params.notes;
      cluster.changed();
    }
    if (params.protected !== undefined && !backup) {
      throw refusal("only backups support attribute 'protected'");
    }
  },

  "DELETE /nodes/{node}/storage/{storage}/content/{volume}": async (context, params) => {
    const { cluster } = context;
    const volid = fullVolumeId(cluster, params.storage, params.volume);
    const { storage, name } = splitVolumeId(volid);
    demandRemoval(context, storage, name);
    const owner = ownerOf(name);
    const upid = context.task(
      params.node,
      "imgdel",
      owner === undefined ? storage : `${owner}@${storage}`,
      async (run) => {
        await cluster.clock.sleep(cluster.latencies.removeMs);
        const volume = findVolume(cluster, volid, params.node);
        if (volume) removeVolume(cluster, volume);
        else run.log(`disk image '${volumePath(cluster, volid)}' does not exist`);
        run.log(`Removed volume '${volid}'`);
      },
    );
    if (params.delay === undefined) return upid;
    await cluster.workers.get(upid)?.done;
    return null;
  },

  "GET /nodes/{node}/storage/{storage}/import-metadata": (context, params) => {
    contentOf(findStorage(context.cluster, params.storage), params.volume);
    const volid = `${params.storage}:${params.volume}`;
    context.demand.any(`/storage/${params.storage}`, readPrivileges);
    if (!findVolume(context.cluster, volid, params.node)) {
      throw refusal(`failed to stat '${volumePath(context.cluster, volid)}'`);
    }
    throw refusal(`not supported for volume '${volid}'`);
  },
};

/** A backup may also be removed by who may make one of the same machine there. */
function demandRemoval(context: CallContext, storage: string, name: string): void {
  const owner = backedUpIn(name);
  const mayReplace =
    owner !== undefined &&
    context.may.all(`/storage/${storage}`, ["Datastore.AllocateSpace"]) &&
    context.may.all(`/vms/${owner}`, ["VM.Backup"]);
  if (!mayReplace) context.demand.all(`/storage/${storage}`, ["Datastore.Allocate"]);
}

/**
 * The disk of a machine is seen by who may change its disks, its backup by who may make one, other files by who may use
 * the storage.
 */
function demandVolume(context: CallContext, volid: string): void {
  const { storage, name } = splitVolumeId(volid);
  if (context.may.all(`/storage/${storage}`, ["Datastore.Allocate"])) return;
  const kind = contentOf(findStorage(context.cluster, storage), name);
  if (kind === "backup") {
    demandBackup(context, volid);
    return;
  }
  const owner = kind === "images" ? ownerOf(name) : undefined;
  if (owner === undefined) context.demand.any(`/storage/${storage}`, readPrivileges);
  else {
    context.demand.all(`/storage/${storage}`, ["Datastore.Audit"]);
    context.demand.all(`/vms/${owner}`, ["VM.Config.Disk"]);
  }
}

function maySeeVolume(context: CallContext, volume: Volume): boolean {
  try {
    demandVolume(context, volumeId(volume));
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

const mayRead = (context: CallContext, name: string): boolean =>
  context.may.any(`/storage/${name}`, readPrivileges);

/** What one node has written the other can read. */
const isReachedBy = (storage: SimStorage, node: string, target: string): boolean =>
  target === node || (storage.shared && isGivenTo(storage, node) && isGivenTo(storage, target));

function storageStatus(cluster: Cluster, name: string, node: string) {
  const storage = findStorage(cluster, name);
  const isUsable = isOnNode(storage, node);
  return {
    type: storage.type,
    content: inHashOrder(cluster, storage.content).join(","),
    shared: storage.shared ? 1 : 0,
    // What is not there, such as a volume group nobody has made, has no size.
    active: isUsable && storage.size > 0 ? 1 : 0,
    enabled: isUsable ? 1 : 0,
    ...(isUsable ? usage(cluster, name, node) : { total: 0, used: 0, avail: 0 }),
  };
}

function volumeRow(volume: Volume): Record<string, unknown> {
  const row = {
    volid: volumeId(volume),
    content: volume.content,
    format: volume.format,
    ctime: volume.createdAt,
  };
  if (volume.machine) {
    const { notes } = volume.machine;
    return { ...row, size: volume.usedBytes, vmid: backedUpIn(volume.name), subtype: "qemu", notes };
  }
  if (volume.content !== "images") return { ...row, size: volume.usedBytes };
  const base = /^(.+?)\/(?:\d+\/)?vm-\d+-/.exec(volume.name)?.[1];
  const parent = base?.includes("base-") ? `../${base}` : null;
  return { ...row, size: volume.sizeBytes, used: volume.usedBytes, parent, vmid: volume.vmid };
}

type NewVolume = Params<"POST /nodes/{node}/storage/{storage}/content">;

/** A file says what it is by its name, and must not be said to be something else. */
function newFormat({ version }: Cluster, storage: SimStorage, { filename, format, vmid }: NewVolume): string {
  const named = /\.(raw|qcow2|vmdk)$/.exec(filename)?.[1];
  if (named !== undefined && format !== undefined && named !== format) {
    throw badParameter({ format: `different storage formats (${format} != ${named})` });
  }
  if (filename === "") return format ?? "raw";
  // 9 takes only names that say what they belong to.
  const start = version === 9 ? "(?:vm-|base-|subvol-)\\d+-" : "";
  const isName = new RegExp(`^${start}[^/\\s]+\\.(?:raw|qcow2|vmdk|subvol)$`).test(filename);
  if (isFileStorage(storage) && !isName) throw refusal(`unable to parse volume filename '${filename}'`);
  if (!isFileStorage(storage) && !filename.startsWith(`vm-${vmid}-`)) {
    throw refusal(`illegal name '${filename}' - should be 'vm-${vmid}-*'`);
  }
  return named ?? format ?? "raw";
}

const freeName = (cluster: Cluster, storage: SimStorage, params: NewVolume, format: string): string =>
  `${nextDiskName(cluster, params)}${isFileStorage(storage) ? `.${format}` : ""}`;

/** The storage of the path completes a short volume name, and must not contradict a full one. */
function fullVolumeId(cluster: Cluster, storage: string | undefined, volume: string): string {
  const name = storage ?? "";
  if (!volume.includes(":")) {
    contentOf(findStorage(cluster, name), volume);
    return `${name}:${volume}`;
  }
  const parts = splitVolumeId(volume);
  if (parts.storage !== name) {
    throw badParameter({ volume: `storage ID mismatch (${parts.storage} != ${name})\n` });
  }
  contentOf(findStorage(cluster, parts.storage), parts.name);
  return volume;
}
