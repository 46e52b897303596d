import { badParameter, forbidden, refusal, type ApiError } from "../../api-error.ts";
import type { CallContext } from "../../call.ts";
import type { Properties } from "../../parameters/property-string.ts";
import type { Volume } from "../../state.ts";
import { contentOf, findStorage, isVolumeId, ownerOf, splitVolumeId } from "../../storage/volumes.ts";
import { demandTags } from "../../access/tag-access.ts";
import { checkImportSource, driveWish } from "./disks.ts";
import { isDriveSensible } from "./drives.ts";
import { zoneOf } from "../../nodes/bridges.ts";
import {
  isCdrom,
  isCloudInit,
  isDrive,
  isNic,
  isSeedKey,
  isUnused,
  parseValue,
  type Config,
} from "./config.ts";

/** Keys whose right does not depend on their value. What stands nowhere is for root alone. */
const keysByRight: Record<string, string[]> = {
  "VM.Config.CPU": ["cores", "cpu", "cpulimit", "cpuunits", "numa", "smp", "sockets", "vcpus"],
  "VM.Config.Memory": ["allow-ksm", "balloon", "memory", "shares"],
  "VM.Config.HWType": [
    "acpi",
    "arch",
    "audio0",
    "hotplug",
    "kvm",
    "machine",
    "rng0",
    "scsihw",
    "smbios1",
    "tablet",
    "vga",
    "watchdog",
  ],
  "VM.Config.Options": [
    "agent",
    "autostart",
    "bios",
    "description",
    "keyboard",
    "localtime",
    "migrate_downtime",
    "migrate_speed",
    "name",
    "onboot",
    "ostype",
    "protection",
    "reboot",
    "startdate",
    "startup",
    "tdf",
    "template",
  ],
  "VM.PowerMgmt": ["freeze"],
  "VM.Config.Disk": ["boot", "bootdisk", "vmstatestorage"],
};
const rightByKey = new Map(
  Object.entries(keysByRight).flatMap(([right, keys]) => keys.map((key) => [key, right] as const)),
);
/** Looked at with their values, and in a change with what they were before. */
const isDevice = (key: string): boolean =>
  isDrive(key) || isUnused(key) || key === "tags" || /^(?:serial|usb|hostpci|virtiofs)\d+$/.test(key);

/** The file path of the real server stands in its own message. */
export const rootPathsOnly = (): ApiError =>
  refusal("Only root can pass arbitrary filesystem paths. at /usr/share/perl5/PVE/Storage.pm line 651.");

/** One of these is enough to set or delete a key; none: only root may. */
function rightsFor(key: string): string[] {
  if (isNic(key)) return ["VM.Config.Network"];
  if (/^numa\d+$/.test(key)) return ["VM.Config.CPU"];
  if (isSeedKey(key)) return ["VM.Config.Cloudinit", "VM.Config.Network"];
  const right = rightByKey.get(key);
  return right === undefined ? [] : [right];
}

/** Rights on the machine, or at create on the pool it will be in. */
interface Where {
  vmid: number;
  pool?: string | undefined;
}

function demandOnMachine(context: CallContext, { vmid, pool }: Where, rights: string[]): void {
  for (const right of rights) demandAnyOnMachine(context, { vmid, pool }, [right]);
}

function demandAnyOnMachine(context: CallContext, { vmid, pool }: Where, rights: string[]): void {
  if (pool !== undefined && context.may.any(`/pool/${pool}`, rights)) return;
  if (!context.may.any(`/vms/${vmid}`, rights)) throw forbidden(`/vms/${vmid}`, rights);
}

/** May the caller set or delete these keys, whatever their values? */
export function demandConfigRights(context: CallContext, where: Where, keys: string[]): void {
  if (context.caller.isRoot) return;
  for (const key of keys) {
    if (isDevice(key)) continue;
    const rights = rightsFor(key);
    if (rights.length === 0) throw refusal(`only root can set '${key}' config`);
    demandAnyOnMachine(context, where, rights);
    // It changes what the host does.
    if (key === "startup") context.demand.all("/", ["Sys.Modify"]);
  }
}

/** What a new machine has plugged in. Its drives need rights on their storages only, whatever they are. */
export function demandNewDevices(context: CallContext, where: Where, config: Config): void {
  for (const [key, value] of Object.entries(config)) demandDevice(context, where, key, String(value));
}

/** The same in a change, for what is there as for what comes; drives have a right for each kind. */
export function demandChangedDevices(
  context: CallContext,
  vmid: number,
  before: Config,
  { set, remove }: { set: Config; remove: string[] },
): void {
  const where = { vmid };
  for (const key of [...remove, ...Object.keys(set)]) {
    const values = [before[key], set[key]].flatMap((value) => (value === undefined ? [] : [String(value)]));
    for (const value of values) {
      if (isDrive(key)) demandOnMachine(context, where, driveRights(key, value));
      else demandDevice(context, where, key, value, remove.includes(key) ? "delete" : "modify");
    }
    if (isUnused(key)) demandOnMachine(context, where, ["VM.Config.Disk"]);
    if (key === "tags") demandTags(context, vmid, String(before[key] ?? ""), String(set[key] ?? ""));
    if (isNic(key) && before[key] !== undefined) demandNetworkRights(context, { [key]: before[key] });
  }
}

function driveRights(key: string, value: string): string[] {
  const drive = parseValue(key, value);
  if (isCloudInit(drive["file"] ?? "")) return ["VM.Config.Cloudinit", "VM.Config.CDROM"];
  return [isCdrom(drive) ? "VM.Config.CDROM" : "VM.Config.Disk"];
}

/** Devices of the host itself are root's, its random numbers those of whoever may use them. */
function demandDevice(context: CallContext, where: Where, key: string, value: string, verb = "set"): void {
  if (context.caller.isRoot) return;
  const kind = /^(serial|usb|hostpci|virtiofs|rng)\d+$/.exec(key)?.[1];
  if (kind === undefined) return;
  if (kind === "serial" && value !== "socket") {
    throw refusal(`only root can ${verb} '${key}' config for real devices`);
  }
  const device = kind === "serial" ? {} : parseValue(key, value);
  if (kind === "hostpci") {
    demandMapping(context, key, device, "pci");
    demandOnMachine(context, where, ["VM.Config.HWType"]);
    return;
  }
  demandOnMachine(context, where, [kind === "virtiofs" ? "VM.Config.Disk" : "VM.Config.HWType"]);
  if (kind === "usb" && !/^spice$/i.test(device["host"] ?? "")) demandMapping(context, key, device, "usb");
  if (kind === "virtiofs") context.demand.all(`/mapping/dir/${device["dirid"]}`, ["Mapping.Use"]);
  if (device["source"] === "/dev/hwrng") context.demand.all("/mapping/hwrng", ["Mapping.Use"]);
}

function demandMapping(context: CallContext, key: string, device: Properties, kind: "pci" | "usb"): void {
  if (device["host"] !== undefined) {
    throw refusal(`only root can set '${key}' config for ${kind === "usb" ? "real" : "non-mapped"} devices`);
  }
  if (device["mapping"] === undefined) throw refusal("either 'host' or 'mapping' must be set.");
  context.demand.all(`/mapping/${kind}/${device["mapping"]}`, ["Mapping.Use"]);
}

/** Storages and volumes the drives name: do they exist, and may the caller use them? A seed is allowed anywhere. */
export function demandDriveRights(context: CallContext, vmid: number, config: Config): void {
  const { cluster } = context;
  for (const slot of Object.keys(config).filter(isDrive).toSorted()) {
    const drive = parseValue(slot, config[slot] ?? "");
    if (!isDriveSensible(slot, drive)) continue;
    const { file = "none" } = drive;
    const wish = driveWish(slot, drive);
    if (file === "none" || wish.kind === "cloudinit") continue;
    if (isCdrom(drive) && file === "cdrom") context.demand.all("/", ["Sys.Console"]);
    else if (!isCdrom(drive) && (wish.kind === "new" || wish.kind === "import")) {
      context.demand.all(`/storage/${wish.storage}`, ["Datastore.AllocateSpace"]);
      if (!findStorage(cluster, wish.storage).content.includes("images")) {
        throw badParameter({ storage: `storage '${wish.storage}' does not support vm images` });
      }
    } else demandUsable(context, vmid, slot, file);
    if (wish.kind === "import") demandSource(context, slot, wish.source);
  }
  const state = config["vmstatestorage"];
  if (state !== undefined) context.demand.all(`/storage/${state}`, ["Datastore.AllocateSpace"]);
}

function demandUsable(context: CallContext, vmid: number, slot: string, volid: string): void {
  const kind = demandVolume(context, vmid, volid);
  if (kind !== undefined && kind !== "images" && kind !== "iso") {
    throw badParameter({ [slot]: "content type needs to be 'images' or 'iso'" });
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

/**
 * Reading an image needs a right on its storage; a disk of another machine needs one on that machine. Answers what kind
 * of volume it is, nothing for what lies outside the storages.
 */
function demandVolume(
  context: CallContext,
  vmid: number | undefined,
  volid: string,
): Volume["content"] | undefined {
  if (!isVolumeId(volid)) {
    if (!context.caller.isRoot) throw rootPathsOnly();
    return undefined;
  }
  const { storage: name, name: volume } = splitVolumeId(volid);
  const kind = contentOf(findStorage(context.cluster, name), volume);
  if (context.may.all(`/storage/${name}`, ["Datastore.Allocate"])) return kind;
  const owner = kind === "images" ? ownerOf(volume) : undefined;
  if (owner !== undefined && Number(owner) === vmid) return kind;
  context.demand.any(`/storage/${name}`, ["Datastore.AllocateSpace", "Datastore.Audit"]);
  if (kind === "images") context.demand.all(`/vms/${owner ?? ""}`, ["VM.Config.Disk"]);
  return kind;
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
