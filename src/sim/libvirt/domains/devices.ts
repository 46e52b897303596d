import { bytesOf } from "../../../clients/libvirt/wire/index.ts";
import { firstAt, readXml, textAt, type XmlElement } from "../../../lib/index.ts";
import type { SimHost } from "../host.ts";
import { badXml, invalidArgument, operationFailed, operationInvalid, systemError } from "../refusal.ts";
import type { SimDomain } from "../state.ts";
import { volumeAt } from "../storage/places.ts";
import { attributeAt, changed, made, withAttributes, withChild, withChildren } from "../xml.ts";
import { completeDevice } from "./define-domain.ts";
import { coresOf, demandMac, diskPath, memoryKiB, targetOf } from "./hardware.ts";

export const affects = { live: 1, config: 2 } as const;

/** Changes a machine as it runs, as it is defined, or both; without a word, as it is now. */
export function change(
  domain: SimDomain,
  flags: number,
  work: (xml: XmlElement, isLive: boolean) => XmlElement,
): void {
  const isLive = (flags & affects.live) !== 0 || (flags === 0 && domain.id >= 0);
  const isConfig = (flags & affects.config) !== 0 || (flags === 0 && domain.id < 0);
  if (isLive && !domain.live) throw operationInvalid("qemu", "domain is not running");
  if (isConfig && !domain.defined)
    throw operationInvalid("qemu", "cannot change persistent config of a transient domain");
  const live = isLive && domain.live ? work(domain.live, true) : domain.live;
  if (isConfig && domain.defined) domain.defined = work(domain.defined, false);
  if (live) domain.live = live;
}

function deviceIn(text: string): XmlElement {
  try {
    return readXml(text);
  } catch (cause) {
    throw badXml("domain", cause instanceof Error ? cause.message : String(cause));
  }
}

/** Disks are told by their targets, NICs by their MACs. */
function isSameDevice(one: XmlElement, other: XmlElement): boolean {
  if (one.name !== other.name) return false;
  if (one.name === "disk") return targetOf(one) === targetOf(other);
  return one.name === "interface" && demandMac(one).toLowerCase() === demandMac(other).toLowerCase();
}

const withDevices = (xml: XmlElement, work: (devices: readonly XmlElement[]) => XmlElement[]): XmlElement =>
  changed(xml, "devices", (devices) => withChildren(devices, work(devices.children)));

export function attachDevice(host: SimHost, domain: SimDomain, text: string, flags: number): void {
  const device = completeDevice(host, deviceIn(text));
  change(domain, flags, (xml, isLive) => {
    const path = device.name === "disk" && isLive ? diskPath(host, device) : undefined;
    if (path !== undefined && !volumeAt(host, path))
      throw systemError("qemu", `Cannot access storage file '${path}': No such file or directory`);
    return withDevices(xml, (devices) => {
      if (devices.some((each) => isSameDevice(each, device)))
        throw device.name === "disk"
          ? operationInvalid("qemu", `target ${targetOf(device)} already exists`)
          : operationFailed("qemu", `network device with mac ${demandMac(device)} already exists`);
      const last = devices.findLastIndex(({ name }) => name === device.name);
      return devices.toSpliced(last < 0 ? devices.length : last + 1, 0, device);
    });
  });
  host.changed();
}

export function detachDevice(host: SimHost, domain: SimDomain, text: string, flags: number): void {
  const device = deviceIn(text);
  change(domain, flags, (xml) =>
    withDevices(xml, (devices) => {
      demandDevice(devices, device);
      return devices.filter((each) => !isSameDevice(each, device));
    }),
  );
  host.changed();
}

/** A disc is changed, a card is plugged elsewhere; its place on the board stays. */
export function updateDevice(host: SimHost, domain: SimDomain, text: string, flags: number): void {
  const device = completeDevice(host, deviceIn(text));
  change(domain, flags, (xml) =>
    withDevices(xml, (devices) => {
      demandDevice(devices, device);
      return devices.map((each) => (isSameDevice(each, device) ? device : each));
    }),
  );
  host.changed();
}

function demandDevice(devices: readonly XmlElement[], device: XmlElement): void {
  if (devices.some((each) => isSameDevice(each, device))) return;
  if (device.name === "disk") throw operationFailed("qemu", `disk ${targetOf(device)} not found`);
  throw operationFailed("qemu", `no device matching MAC address ${demandMac(device)} found`);
}

export function setCores(domain: SimDomain, count: number, flags: number): void {
  change(domain, flags, (xml) => {
    const most = Number(textAt(xml, "vcpu") ?? 1);
    if (count > most)
      throw invalidArgument(
        "qemu",
        `requested vcpus is greater than max allowable vcpus for the domain: ${count} > ${most}`,
      );
    const current = count === most ? undefined : count;
    return changed(xml, "vcpu", (vcpu) => withAttributes(vcpu, { current }));
  });
}

export function setMemory(domain: SimDomain, amountKiB: number, flags: number): void {
  change(domain, flags, (xml) => {
    if (amountKiB > memoryKiB(xml, "memory"))
      throw invalidArgument("qemu", "cannot set memory higher than max memory");
    return withChild(xml, made("currentMemory", { unit: "KiB" }, amountKiB), ["memory"]);
  });
}

/** A running guest sees its disk grow. */
export function growBlock(host: SimHost, domain: SimDomain, name: string, bytes: number): void {
  const disk = firstDisk(domain, name);
  const volume = disk && volumeAt(host, diskPath(host, disk) ?? "");
  if (!volume) throw invalidArgument("qemu", `invalid path: ${name}`);
  volume.capacityBytes = Math.max(volume.capacityBytes, bytes);
  if (volume.format === "raw") volume.physicalBytes = volume.capacityBytes;
  host.changed();
}

const firstDisk = ({ live }: SimDomain, name: string): XmlElement | undefined =>
  firstAt(live, "devices")?.children.find((each) => each.name === "disk" && targetOf(each) === name);

export const sizesOf = (xml: XmlElement) => ({
  maxMemoryKiB: (bytesOf(firstAt(xml, "memory"), "KiB") ?? 0) / 1024,
  memoryKiB: memoryKiB(xml, "currentMemory"),
  cpus: coresOf(xml),
});

/** The element of a namespace among the metadata. */
export const metadataOf = (xml: XmlElement, namespace: string): XmlElement | undefined =>
  firstAt(xml, "metadata")?.children.find((each) => each.namespace === namespace);

export function withMetadata(
  xml: XmlElement,
  namespace: string,
  element: XmlElement | undefined,
): XmlElement {
  const before = firstAt(xml, "metadata") ?? made("metadata");
  const others = before.children.filter((each) => each.namespace !== namespace);
  return withChild(xml, withChildren(before, [...others, element]), ["name", "uuid", "title", "description"]);
}

export const nvramOf = (xml: XmlElement | undefined): string | undefined =>
  attributeAt(xml, ["os"], "firmware") === "efi" ? textAt(xml, "os", "nvram") : undefined;
