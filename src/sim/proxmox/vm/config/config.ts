import { createHash } from "node:crypto";
import { randomUuid, type Random } from "../../../../lib/index.ts";
import { configParams, type PropertyTable } from "../../../../clients/proxmox/endpoints/index.ts";
import { refusal } from "../../api-error.ts";
import { seconds, type Cluster } from "../../cluster.ts";
import { splitList } from "../../parameters/formats.ts";
import { parseProperties, printProperties, type Properties } from "../../parameters/property-string.ts";
import type { ConfigValue, Vm } from "../../state.ts";
import { isAllowed, paramFor } from "../../parameters/verify.ts";

export type Config = Record<string, ConfigValue>;

const drivePattern = /^(?:ide|sata|scsi|virtio)\d+$|^(?:efidisk0|tpmstate0)$/;
export const isDrive = (key: string): boolean => drivePattern.test(key);
export const isNic = (key: string): boolean => /^net\d+$/.test(key);
/** What a guest finds on its cloud-init drive. */
export const isSeedKey = (key: string): boolean =>
  /^(?:ci(?:custom|password|type|upgrade|user)|ipconfig\d+|nameserver|searchdomain|sshkeys)$/.test(key);
export const isUnused = (key: string): boolean => /^unused\d+$/.test(key);

/** A VM lives on one node; asked for elsewhere it does not exist. */
export function findVm(cluster: Cluster, node: string, vmid: number): Vm {
  const vm = cluster.state.vms[String(vmid)];
  if (vm?.node === node) return vm;
  throw refusal(`Configuration file 'nodes/${node}/qemu-server/${vmid}.conf' does not exist`);
}

/** The same, in the words of the calls that first ask whether it runs. */
export function findProcess(cluster: Cluster, node: string, vmid: number): Vm {
  const vm = cluster.state.vms[String(vmid)];
  if (vm?.node === node) return vm;
  throw refusal(`unable to find configuration file for VM ${vmid} on node '${node}'`);
}

export function addVm(cluster: Cluster, node: string, vmid: number, config: Config): Vm {
  const now = cluster.clock.now();
  const vm: Vm = {
    vmid,
    node,
    config,
    pending: { set: {}, delete: [] },
    createdAt: now,
    powerChangedAt: now,
    snapshots: {},
  };
  cluster.state.vms[String(vmid)] = vm;
  cluster.changed();
  return vm;
}

/** Takes back a machine that could not be made, with all its disks. */
export function dropVm(cluster: Cluster, vm: Vm): void {
  const { state } = cluster;
  delete state.vms[String(vm.vmid)];
  state.volumes = state.volumes.filter((volume) => volume.vmid !== vm.vmid);
  cluster.changed();
}

/** A configuration lock stands for a job that has not finished. */
export function demandUnlocked(vm: Vm): void {
  const lock = vm.config["lock"];
  if (lock !== undefined) throw refusal(`VM is locked (${lock})`);
}

export function demandDigest(vm: Vm, digest: string | undefined): void {
  if (isStale(vm, digest)) throw refusal("checksum mismatch (file change by other user?)");
}

/** Whether a digest was given, and is that of another configuration. */
export const isStale = (vm: Vm, digest: string | undefined): boolean =>
  digest !== undefined && digest !== "" && digest !== "0" && digest !== configDigest(vm);

/** The order of the keys does not count. */
export function configDigest(vm: Vm): string {
  const lines = Object.keys(vm.config)
    .toSorted()
    .map((key) => [key, vm.config[key]]);
  return createHash("sha1")
    .update(JSON.stringify([lines, vm.pending]))
    .digest("hex");
}

/** The keys of a property string in the configuration; none for plain values. */
export function propertyTable(key: string): PropertyTable {
  return paramFor(configParams, key, 9)?.properties ?? {};
}

export const parseValue = (key: string, value: ConfigValue): Properties =>
  parseProperties(propertyTable(key), String(value), 9);

export function printDrive(key: string, drive: Properties): string {
  return printProperties(propertyTable(key), drive);
}

/** Model and address together, as the server stores a network card. */
export function printNic(nic: Properties): string {
  const { model = "virtio", macaddr, ...rest } = nic;
  const others = Object.keys(rest)
    .toSorted()
    .map((key) => `${key}=${rest[key]}`);
  return [macaddr === undefined ? model : `${model}=${macaddr}`, ...others].join(",");
}

/** Stopped or not, with the changes that wait for the next start. */
export function shownConfig(vm: Vm, isCurrent: boolean): Config {
  const config: Config = { ...vm.config };
  if (!isCurrent) {
    for (const key of vm.pending.delete) delete config[key];
    Object.assign(config, vm.pending.set);
  }
  return { ...hideSecrets(config), digest: configDigest(vm) };
}

export const hideSecrets = (config: Config): Config =>
  config["cipassword"] === undefined ? config : { ...config, cipassword: "**********" };

/** Drives that hold a volume of their own, by slot. */
export function drivesOf(config: Config): { slot: string; drive: Properties; file: string }[] {
  return Object.entries(config)
    .filter(([key]) => isDrive(key))
    .map(([slot, value]) => {
      const drive = parseValue(slot, value);
      return { slot, drive, file: drive["file"] ?? "" };
    });
}

export const isCdrom = (drive: Properties): boolean => drive["media"] === "cdrom";
/** `local:cloudinit` as it is asked for, `local:100/vm-100-cloudinit.qcow2` as it is then. */
export const isCloudInit = (file: string): boolean => /(?:^|[:/])(?:vm-\d+-)?cloudinit(?:\.\w+)?$/.test(file);

const bootBuses = ["ide", "scsi", "virtio", "sata"];

/** Disks and CD drives in the order a firmware would try them. */
function bootCandidates(config: Config, wantCdrom: boolean): string | undefined {
  const found = drivesOf(config).filter(
    ({ slot, drive }) => bootBuses.some((bus) => slot.startsWith(bus)) && isCdrom(drive) === wantCdrom,
  );
  const rank = (slot: string) => bootBuses.findIndex((bus) => slot.startsWith(bus)) * 100 + slotNumber(slot);
  return found.toSorted((a, b) => rank(a.slot) - rank(b.slot))[0]?.slot;
}

export const slotNumber = (slot: string): number => Number(/\d+$/.exec(slot)?.[0] ?? 0);

/** First disk, first CD drive, first network card; a blank when there is none of them. */
export function defaultBoot(config: Config): string {
  const nic = Object.keys(config)
    .filter(isNic)
    .toSorted((a, b) => slotNumber(a) - slotNumber(b))[0];
  const order = [bootCandidates(config, false), bootCandidates(config, true), nic].filter(
    (slot) => slot !== undefined,
  );
  return order.length === 0 ? " " : `order=${order.join(";")}`;
}

export const bootOrder = (config: Config): string[] => {
  const order = /order=([^,]*)/.exec(String(config["boot"] ?? ""))?.[1];
  return order === undefined ? [] : order.split(";");
};

/** The disk a machine boots from: the first of its boot order, or what the firmware would find. */
export function systemDisk(config: Config): string | undefined {
  const drives = new Map(drivesOf(config).map(({ slot, drive }) => [slot, drive]));
  const ordered = bootOrder(config).find((slot) => {
    const drive = drives.get(slot);
    return drive !== undefined && !isCdrom(drive);
  });
  return ordered ?? bootCandidates(config, false);
}

/** The keys of a new machine or of a change, as the configuration file keeps them. */
export function givenConfig(
  cluster: Cluster,
  params: Readonly<Record<string, string | number | boolean | undefined>>,
  own: ReadonlySet<string>,
  isCreate: boolean,
): Config {
  return Object.fromEntries(
    Object.entries(params).flatMap(([key, value]): [string, ConfigValue][] => {
      if (own.has(key) || value === undefined) return [];
      if (key === "cdrom") return value === "" ? [] : [["ide2", asCdrom(String(value))]];
      if (value === "") return blankValue(cluster, key, isCreate);
      return [[key, isDrive(key) ? String(value) : storedValue(key, value, cluster, isCreate)]];
    }),
  );
}

/**
 * The file keeps nothing as a blank, which is read back where it means something. Notes are no line of their own, so
 * nothing is left of them, and what a new machine needs the server makes up.
 */
function blankValue({ version }: Cluster, key: string, isCreate: boolean): [string, ConfigValue][] {
  const param = paramFor(configParams, key, version);
  const isLost = key === "description" || (isCreate && (key === "boot" || key === "smbios1"));
  return param && !isLost && isAllowed(param, key, " ", version) ? [[key, " "]] : [];
}

const asCdrom = (value: string): string => (value.includes("media=") ? value : `${value},media=cdrom`);

/** The most weight a control group of the second version can have. */
const mostCpuUnits = 10_000;

/** A parameter as the configuration file keeps it. */
function storedValue(
  key: string,
  value: string | number | boolean,
  cluster: Cluster,
  isCreate: boolean,
): ConfigValue {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (key === "tags")
    return isCreate && cluster.version === 8 ? String(value) : sortTags(String(value)) || " ";
  if (key === "description") return String(value).trimEnd();
  if (key === "vmgenid" && value === "1") return randomUuid(cluster.random);
  if (isNic(key)) return printNic(withAddress(parseValue(key, value), cluster.random));
  if (key === "cpuunits") return Math.min(Number(value), mostCpuUnits);
  if (typeof value === "string") return value.trim() || " ";
  return paramFor(configParams, key, cluster.version)?.type === "number" ? String(value) : value;
}

const sortTags = (text: string): string => [...new Set(splitList(text.toLowerCase()))].toSorted().join(";");

/** A card without an address gets one of the vendor's range. */
export function withAddress(nic: Properties, random: Random): Properties {
  if (nic["macaddr"] !== undefined) return nic;
  const tail = [...random.bytes(3)].map((byte) => byte.toString(16).padStart(2, "0").toUpperCase());
  return { ...nic, macaddr: `BC:24:11:${tail.join(":")}` };
}

/** Of the emulator that runs the machines. */
export const emulatorVersions = { 9: "10.0.13", 8: "9.2.0" } as const;

/** What the server adds to a new VM. */
export function firstConfig(cluster: Cluster, given: Config): Config {
  return {
    meta: `creation-qemu=${emulatorVersions[cluster.version]},ctime=${seconds(cluster)}`,
    smbios1: `uuid=${randomUuid(cluster.random)}`,
    vmgenid: randomUuid(cluster.random),
    ...given,
    boot: given["boot"] ?? defaultBoot(given),
  };
}
