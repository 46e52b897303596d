import { badParameter, forbidden, refusal } from "./api-error.ts";
import type { CallContext } from "./call.ts";
import { contentOf, findStorage, ownerOf, splitVolumeId } from "./storage.ts";
import { demandTags } from "./tag-access.ts";
import { checkImportSource, driveWish } from "./vm-disks.ts";
import { zoneOf } from "./plugs.ts";
import { isCdrom, isDrive, isNic, isUnused, parseValue, type Config } from "./vm-config.ts";

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
const cloudInitKeys =
  /^(?:ci(?:custom|password|type|upgrade|user)|ipconfig\d+|nameserver|searchdomain|sshkeys)$/;
/** Looked at with their values, and in a change with what they were before. */
const isDevice = (key: string): boolean =>
  isDrive(key) || isUnused(key) || key === "tags" || /^(?:serial|usb|hostpci|virtiofs)\d+$/.test(key);

/** The file path of the real server stands in its own message. */
const rootPathsOnly = () =>
  refusal("Only root can pass arbitrary filesystem paths. at /usr/share/perl5/PVE/Storage.pm line 651.");

/** One of these is enough to set or delete a key; none: only root may. */
function rightsFor(key: string): string[] {
  if (isNic(key)) return ["VM.Config.Network"];
  if (/^numa\d+$/.test(key)) return ["VM.Config.CPU"];
  if (cloudInitKeys.test(key)) return ["VM.Config.Cloudinit", "VM.Config.Network"];
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
      else demandDevice(context, where, key, value);
    }
    if (isUnused(key)) demandOnMachine(context, where, ["VM.Config.Disk"]);
    if (key === "tags") demandTags(context, vmid, String(before[key] ?? ""), String(set[key] ?? ""));
    if (isNic(key) && before[key] !== undefined) demandNetworkRights(context, { [key]: before[key] });
  }
}

function driveRights(key: string, value: string): string[] {
  const drive = parseValue(key, value);
  if (isSeed(drive["file"] ?? "")) return ["VM.Config.Cloudinit", "VM.Config.CDROM"];
  return [isCdrom(drive) ? "VM.Config.CDROM" : "VM.Config.Disk"];
}

/** `local:cloudinit` as it is asked for, `local:100/vm-100-cloudinit.qcow2` as it is then. */
const isSeed = (file: string): boolean => /(?:^|:)cloudinit$|vm-\d+-cloudinit(?:\.\w+)?$/.test(file);

/** Devices of the host itself are root's, its random numbers those of whoever may use them. */
function demandDevice(context: CallContext, where: Where, key: string, value: string): void {
  if (context.caller.isRoot) return;
  const kind = /^(serial|usb|hostpci|virtiofs|rng)\d+$/.exec(key)?.[1];
  if (kind === undefined) return;
  demandOnMachine(context, where, [kind === "virtiofs" ? "VM.Config.Disk" : "VM.Config.HWType"]);
  if (kind === "serial" && value !== "socket") {
    throw refusal(`only root can set '${key}' config for real devices`);
  }
  const mapping = /\b(?:mapping|dirid)=([^,]+)/.exec(value)?.[1];
  if (mapping !== undefined) {
    const what = { usb: "usb", hostpci: "pci", virtiofs: "dir" }[kind] ?? kind;
    context.demand.all(`/mapping/${what}/${mapping}`, ["Mapping.Use"]);
  } else if (kind === "usb" && !/spice/i.test(value)) {
    throw refusal(`only root can set '${key}' config for real devices`);
  } else if (kind === "hostpci") throw refusal(`only root can set '${key}' config for non-mapped devices`);
  if (kind === "rng" && value.includes("/dev/hwrng")) context.demand.all("/mapping/hwrng", ["Mapping.Use"]);
}

/** Storages and volumes the drives name: do they exist, and may the caller use them? A seed is allowed anywhere. */
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
