import { bytesOf } from "../../../clients/libvirt/wire/index.ts";
import { allAt, firstAt, textAt, type XmlElement } from "../../../lib/index.ts";
import type { BootDevice, GuestDisks, GuestHardware, SeedBus } from "../../guest.ts";
import { currentXml, type SimHost } from "../host.ts";
import { giveLease, plugOf } from "../networks/networks.ts";
import type { SimDomain, SimVolume } from "../state.ts";
import { originOf, volumeAt } from "../storage/places.ts";
import { poolNamed } from "../storage/pools.ts";
import { attributeAt, demandTextAt } from "../xml.ts";
import { seedOn } from "./seed.ts";

export const coresOf = (domain: XmlElement): number =>
  Number(attributeAt(domain, ["vcpu"], "current") ?? textAt(domain, "vcpu") ?? 1);

export const memoryKiB = (domain: XmlElement, which: "memory" | "currentMemory"): number =>
  (bytesOf(firstAt(domain, which), "KiB") ?? 0) / 1024;

/** Where the content of a disk or disc lies; undefined: the drive is empty. */
export function diskPath(host: SimHost, disk: XmlElement): string | undefined {
  const { file, dev, pool, volume } = firstAt(disk, "source")?.attributes ?? {};
  if (pool !== undefined && volume !== undefined) return `${poolNamed(host, pool).path}/${volume}`;
  return file ?? dev;
}

export const disksOf = (domain: XmlElement): XmlElement[] => allAt(domain, "devices", "disk");
export const isDisc = ({ attributes }: XmlElement): boolean => attributes["device"] === "cdrom";
export const targetOf = (disk: XmlElement): string => attributeAt(disk, ["target"], "dev") ?? "";

const volumeOf = (host: SimHost, disk: XmlElement): SimVolume | undefined => {
  const path = diskPath(host, disk);
  return path === undefined ? undefined : volumeAt(host, path);
};

/** What a guest finds when it is switched on. */
export function hardwareOf(host: SimHost, domain: SimDomain): GuestHardware {
  const xml = currentXml(domain);
  const seed = seedOf(host, xml);
  return {
    name: domain.name,
    uuid: domain.uuid,
    host: host.name,
    cores: coresOf(xml),
    memoryMiB: Math.round(memoryKiB(xml, "currentMemory") / 1024),
    nics: allAt(xml, "devices", "interface").map((nic) => {
      const mac = demandMac(nic);
      const plug = plugOf(nic);
      const asks = asksForAddress(seed, mac);
      return {
        mac,
        bridge: plug.source,
        vlan: plug.vlan,
        lease: asks ? giveLease(host, mac, plug) : undefined,
      };
    }),
    disks: disksOf(xml)
      .filter((disk) => !isDisc(disk))
      .map((disk) => ({
        slot: targetOf(disk),
        sizeBytes: volumeOf(host, disk)?.capacityBytes ?? 0,
        serial: textAt(disk, "serial"),
      })),
    boot: bootDevices(host, domain),
    seed,
  };
}

export const demandMac = (nic: XmlElement): string =>
  attributeAt(nic, ["mac"], "address") ?? demandTextAt(nic, "mac");

/** Who was given an address by its seed asks nobody. */
const asksForAddress = (seed: GuestHardware["seed"], mac: string): boolean => {
  const told = seed?.addresses.find((each) => each.mac.toLowerCase() === mac.toLowerCase());
  return told === undefined || told.dhcp === true;
};

/** What the guest has written so far, as the volumes keep it: writing to it is writing to the disk. */
export function guestDisks(host: SimHost, domain: SimDomain): GuestDisks {
  const disks: GuestDisks = {};
  for (const disk of disksOf(currentXml(domain))) {
    const volume = isDisc(disk) ? undefined : volumeOf(host, disk);
    if (volume) disks[targetOf(disk)] = volume.data ??= {};
  }
  return disks;
}

/** By the order of the devices, or else by that of their kinds. */
function bootDevices(host: SimHost, domain: SimDomain): BootDevice[] {
  const xml = currentXml(domain);
  const disks = disksOf(xml);
  const ordered = disks
    .filter((disk) => firstAt(disk, "boot"))
    .toSorted(
      (a, b) => Number(attributeAt(a, ["boot"], "order")) - Number(attributeAt(b, ["boot"], "order")),
    );
  const kinds = allAt(xml, "os", "boot").map(({ attributes }) => attributes["dev"]);
  const byKind = (kinds.length > 0 ? kinds : ["hd"]).flatMap((kind) =>
    disks.filter((disk) => isDisc(disk) === (kind === "cdrom")),
  );
  return (ordered.length > 0 ? ordered : byKind).map((disk) => bootDevice(host, domain, disk));
}

/** A disc can be taken out while the machine runs. */
const bootDevice = (host: SimHost, domain: SimDomain, disk: XmlElement): BootDevice => ({
  kind: isDisc(disk) ? "cdrom" : "disk",
  slot: targetOf(disk),
  get image() {
    const now = disksOf(currentXml(domain)).find((each) => targetOf(each) === targetOf(disk));
    const volume = now && volumeOf(host, now);
    return volume && originOf(host, volume);
  },
});

const seedBuses: Record<string, SeedBus> = { ide: "ide", sata: "sata", scsi: "scsi", virtio: "virtio" };

function seedOf(host: SimHost, domain: XmlElement): GuestHardware["seed"] {
  for (const disk of disksOf(domain)) {
    const volume = volumeOf(host, disk);
    const bus = seedBuses[attributeAt(disk, ["target"], "bus") ?? "sata"];
    const seed = volume && bus && seedOn(Buffer.from(volume.head, "base64"), bus);
    if (seed) return seed;
  }
  return undefined;
}
