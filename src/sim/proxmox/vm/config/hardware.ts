import type { BootDevice, GuestDisks, GuestHardware } from "../../../guest.ts";
import type { Cluster } from "../../cluster.ts";
import { leaseIn, networkOfWire, type Lease } from "../../../dhcp.ts";
import type { Vm } from "../../state.ts";
import { findVolume } from "../../storage/volumes.ts";
import {
  bootOrder,
  defaultBoot,
  drivesOf,
  isCdrom,
  isCloudInit,
  isNic,
  parseValue,
  slotNumber,
  type Config,
} from "./config.ts";

const defaultMemoryMiB = 512;

export const memoryMiB = (config: Config): number =>
  config["memory"] === undefined
    ? defaultMemoryMiB
    : Number(parseValue("memory", config["memory"])["current"] ?? defaultMemoryMiB);

export const coresOf = (config: Config): number =>
  Number(config["cores"] ?? 1) * Number(config["sockets"] ?? 1);

/** What a guest finds when it is switched on. */
export function hardwareOf(cluster: Cluster, vm: Vm): GuestHardware {
  const { config } = vm;
  const seed = vm.running?.seed;
  return {
    name: String(config["name"] ?? `VM ${vm.vmid}`),
    id: String(vm.vmid),
    uuid: /uuid=([0-9a-fA-F-]+)/.exec(String(config["smbios1"] ?? ""))?.[1] ?? "",
    host: vm.node,
    cores: coresOf(config),
    memoryMiB: memoryMiB(config),
    nics: nicsOf(config).map(({ nic }) => {
      const card = {
        mac: nic["macaddr"] ?? "",
        bridge: nic["bridge"] ?? "",
        vlan: nic["tag"] === undefined ? undefined : Number(nic["tag"]),
      };
      const lease = leaseFor(cluster, card);
      return { ...card, lease };
    }),
    disks: disksOf(config).map(({ slot, file }) => ({
      slot,
      sizeBytes: findVolume(cluster, file, vm.node)?.sizeBytes ?? 0,
    })),
    boot: bootDevices(cluster, vm),
    seed,
  };
}

/** What the guest has written so far, as the volumes keep it: writing to it is writing to the disk. */
export function guestDisks(cluster: Cluster, vm: Vm): GuestDisks {
  const disks: GuestDisks = {};
  for (const { slot, file } of disksOf(vm.config)) {
    const volume = findVolume(cluster, file, vm.node);
    if (volume) disks[slot] = volume.data ??= {};
  }
  return disks;
}

/** Firmware variables and the TPM are no disks to a guest. */
const disksOf = (config: Config) =>
  drivesOf(config).filter(({ slot, drive }) => !isCdrom(drive) && !/^(?:efi|tpm)/.test(slot));

/** The order is that of the start; Proxmox lets the firmware try nothing else. */
function bootDevices(cluster: Cluster, vm: Vm): BootDevice[] {
  const drives = new Map(drivesOf(vm.config).map(({ slot, drive, file }) => [slot, { drive, file }]));
  const order = bootOrder(vm.config);
  const slots = order.length > 0 ? order : bootOrder({ boot: defaultBoot(vm.config) });
  return slots.flatMap((slot): BootDevice[] => {
    const found = drives.get(slot);
    if (!found || isCloudInit(found.file)) return [];
    if (isCdrom(found.drive)) return [cdDrive(cluster, vm, slot)];
    const image = findVolume(cluster, found.file, vm.node)?.origin;
    return [{ kind: "disk", slot, image }];
  });
}

/** A medium can be taken out while the machine runs. */
const cdDrive = (cluster: Cluster, vm: Vm, slot: string): BootDevice => ({
  kind: "cdrom",
  slot,
  get image() {
    const file = parseValue(slot, vm.config[slot] ?? "none")["file"] ?? "none";
    return findVolume(cluster, file, vm.node)?.origin;
  },
});

export const nicsOf = (config: Config): { slot: string; nic: Record<string, string> }[] =>
  Object.entries(config)
    .filter(([key]) => isNic(key))
    .toSorted(([a], [b]) => slotNumber(a) - slotNumber(b))
    .map(([slot, value]) => ({ slot, nic: parseValue(slot, value) }));

/** What the DHCP server of a card's network answers it. */
function leaseFor(
  cluster: Cluster,
  nic: { mac: string; bridge: string; vlan?: number | undefined },
): Lease | undefined {
  const found = networkOfWire(cluster.file.networks, nic.bridge, nic.vlan);
  if (!found) return undefined;
  const leases = ((cluster.state.leases ??= {})[found.name] ??= {});
  return leaseIn(found.server, leases, nic.mac, () => cluster.changed());
}
