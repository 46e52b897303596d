import { badParameter, forbidden, refusal } from "./api-error.ts";
import type { CallContext } from "./call.ts";
import { contentOf, findStorage, ownerOf, splitVolumeId } from "./storage.ts";
import { checkImportSource, driveWish } from "./vm-disks.ts";
import { zoneOf } from "./plugs.ts";
import { isCdrom, isDrive, isNic, isUnused, parseValue, type Config } from "./vm-config.ts";

const cpuKeys = new Set([
  "affinity",
  "cores",
  "cpu",
  "cpulimit",
  "cpuunits",
  "numa",
  "smp",
  "sockets",
  "vcpus",
]);
const memoryKeys = new Set(["balloon", "hugepages", "keephugepages", "memory", "shares"]);
const hardwareKeys = new Set([
  "acpi",
  "arch",
  "audio0",
  "hotplug",
  "ivshmem",
  "kvm",
  "machine",
  "rng0",
  "scsihw",
  "smbios1",
  "tablet",
  "vga",
  "watchdog",
]);
const rootKeys = new Set(["affinity", "args", "hookscript", "lock", "vmgenid"]);
const cloudInitKeys = /^(?:ci\w+|ipconfig\d+|nameserver|searchdomain|sshkeys)$/;

/** The file path of the real server stands in its own message. */
const rootPathsOnly = () =>
  refusal("Only root can pass arbitrary filesystem paths. at /usr/share/perl5/PVE/Storage.pm line 651.");

/** One of the privileges that changing a configuration key needs; none where something else is checked. */
function privilegesFor(key: string, config: Config, before: Config): string[] {
  if (isDrive(key)) {
    const value = config[key] ?? before[key];
    const isCd = value !== undefined && isCdrom(parseValue(key, value));
    return [isCd ? "VM.Config.CDROM" : "VM.Config.Disk"];
  }
  if (isUnused(key) || key === "boot" || key === "bootdisk" || key === "vmstatestorage") {
    return ["VM.Config.Disk"];
  }
  if (isNic(key)) return ["VM.Config.Network"];
  if (cloudInitKeys.test(key)) return ["VM.Config.Cloudinit", "VM.Config.Network"];
  if (cpuKeys.has(key)) return ["VM.Config.CPU"];
  if (memoryKeys.has(key)) return ["VM.Config.Memory"];
  if (hardwareKeys.has(key) || /^(?:serial|parallel|usb|hostpci|numa|virtiofs)\d+$/.test(key)) {
    return ["VM.Config.HWType"];
  }
  return ["VM.Config.Options"];
}

/** May the caller set (or delete) these keys? At create the rights may come from the pool. */
export function demandConfigRights(
  context: CallContext,
  vmid: number,
  keys: string[],
  config: Config,
  where: { pool?: string; before?: Config } = {},
): void {
  const pool = where.pool;
  for (const key of keys) {
    if (rootKeys.has(key)) {
      if (!context.caller.isRoot) throw refusal(`only root can set '${key}' config`);
      continue;
    }
    demandRealDevice(context, key, config);
    if (key === "startup") {
      context.demand.all("/", ["Sys.Modify"]);
      continue;
    }
    const privs = privilegesFor(key, config, where.before ?? {});
    if (pool !== undefined && context.may.any(`/pool/${pool}`, privs)) continue;
    if (!context.may.any(`/vms/${vmid}`, privs)) throw forbidden(`/vms/${vmid}`, privs);
  }
}

/** Devices of the host itself are root's, its random numbers those of whoever may use them. */
function demandRealDevice(context: CallContext, key: string, config: Config): void {
  if (context.caller.isRoot) return;
  const value = String(config[key] ?? "");
  if (key === "rng0" && value.includes("/dev/hwrng")) context.demand.all("/mapping/hwrng", ["Mapping.Use"]);
  if (/^(?:serial|parallel)\d+$/.test(key) && value !== "" && value !== "socket") {
    throw refusal(`only root can set '${key}' config for real devices`);
  }
  if (/^usb\d+$/.test(key) && value !== "" && !/mapping=|spice/i.test(value)) {
    throw refusal(`only root can set '${key}' config for real devices`);
  }
  if (/^hostpci\d+$/.test(key) && value !== "" && !value.includes("mapping=")) {
    throw refusal(`only root can set '${key}' config for non-mapped devices`);
  }
}

/** Storages and volumes the drives name: do they exist, and may the caller use them? */
export function demandDriveRights(context: CallContext, vmid: number, config: Config): void {
  const { cluster } = context;
  for (const [slot, value] of Object.entries(config)) {
    if (!isDrive(slot)) continue;
    const drive = parseValue(slot, value);
    const wish = driveWish(slot, drive);
    if (wish.kind === "new" || wish.kind === "import") {
      context.demand.all(`/storage/${wish.storage}`, ["Datastore.AllocateSpace"]);
      const storage = findStorage(cluster, wish.storage);
      if (!storage.content.includes("images")) {
        throw badParameter({ storage: `storage '${wish.storage}' does not support vm images` });
      }
      if (wish.kind === "import") demandSource(context, slot, wish.source);
    } else if (wish.kind === "cloudinit") {
      context.demand.all(`/storage/${wish.storage}`, ["Datastore.AllocateSpace"]);
    } else if (wish.kind === "existing") demandVolume(context, vmid, wish.volid);
  }
}

function demandSource(context: CallContext, slot: string, source: string): void {
  if (source.startsWith("/")) {
    if (!context.caller.isRoot) throw rootPathsOnly();
    return;
  }
  checkImportSource(context.cluster, slot, source);
  const owner = /^[^:]+:(\d+)\//.exec(source)?.[1];
  if (owner === undefined) demandVolume(context, undefined, source);
  else context.demand.all(`/vms/${owner}`, ["VM.Clone"]);
}

/** Reading an image needs a right on its storage; a disk of another machine needs one on that machine. */
function demandVolume(context: CallContext, vmid: number | undefined, volid: string): void {
  if (volid.startsWith("/")) {
    if (!context.caller.isRoot) throw rootPathsOnly();
    return;
  }
  const { storage: name, name: volume } = splitVolumeId(volid);
  const kind = contentOf(findStorage(context.cluster, name), volume);
  if (context.may.all(`/storage/${name}`, ["Datastore.Allocate"])) return;
  if (kind === "images") {
    const owner = ownerOf(volume);
    if (Number(owner) === vmid) return;
    context.demand.any(`/storage/${name}`, ["Datastore.AllocateSpace", "Datastore.Audit"]);
    context.demand.all(`/vms/${owner ?? ""}`, ["VM.Config.Disk"]);
    return;
  }
  context.demand.any(`/storage/${name}`, ["Datastore.AllocateSpace", "Datastore.Audit"]);
}

/** Every bridge is a network of the zone `localnetwork`. */
export function demandNetworkRights(context: CallContext, config: Config): void {
  for (const [key, value] of Object.entries(config)) {
    if (!isNic(key)) continue;
    const nic = parseValue(key, value);
    const bridge = nic["bridge"];
    if (bridge === undefined) {
      if (context.cluster.version === 8) throw refusal("no sdn vnet ID specified");
      continue;
    }
    const path = `/sdn/zones/${zoneOf(context.cluster, bridge)}/${bridge}`;
    const tag = nic["tag"];
    if (tag !== undefined && context.may.all(`${path}/${tag}`, ["SDN.Use"])) continue;
    context.demand.all(path, ["SDN.Use"]);
  }
}
