import { bytesOf } from "../../../clients/libvirt/wire/index.ts";
import { allAt, firstAt, textAt, type XmlElement } from "../../../lib/index.ts";
import { newMac, newUuid, type SimHost } from "../host.ts";
import { emulators, machineVersion } from "../host/capabilities.ts";
import { badXml, unsupportedConfiguration } from "../refusal.ts";
import {
  attributeAt,
  changed,
  demandTextAt,
  demandXml,
  made,
  withAttributes,
  withChild,
  withChildren,
  withoutChild,
} from "../xml.ts";

/** What libvirt makes of a definition before it keeps it: what is missing is made up, what is loose is bound. */
export function definedDomain(host: SimHost, text: string): XmlElement {
  const written = demandXml(text, "domain");
  demandTextAt(written, "name");
  const architecture = attributeAt(written, ["os", "type"], "arch") ?? "x86_64";
  demandAccelerator(host, written, architecture);
  demandHardware(host, written, architecture);
  const uuid = made("uuid", {}, textAt(written, "uuid")?.toLowerCase() ?? newUuid(host.random));
  const named = withChild(withAttributes(written, { id: undefined }), uuid, ["name"]);
  const sized = withMemory(named);
  const bound = changed(sized, "os", (os) => withFirmware(host, named, withMachine(os, architecture)));
  const counted = withChild(
    bound,
    withAttributes(firstAt(bound, "vcpu") ?? made("vcpu", {}, 1), { placement: "static" }),
    ["currentMemory"],
  );
  const devices = firstAt(counted, "devices") ?? made("devices");
  return withChild(counted, withDevices(host, devices, architecture));
}

function demandAccelerator(host: SimHost, { attributes: { type } }: XmlElement, architecture: string): void {
  const emulator = emulators[architecture];
  if (emulator === undefined)
    throw unsupportedConfiguration("qemu", `No emulator found for arch '${architecture}'`);
  if (type === "qemu" || (type === "kvm" && host.file.hasKvm)) return;
  if (type === undefined)
    throw badXml("domain", "Required attribute 'type' is missing from element 'domain'");
  throw unsupportedConfiguration("qemu", `Emulator '${emulator}' does not support virt type '${type}'`);
}

function demandHardware(host: SimHost, domain: XmlElement, architecture: string): void {
  const machine = machineVersion(attributeAt(domain, ["os", "type"], "machine") ?? "pc", architecture);
  const buses = allAt(domain, "devices", "disk", "target").map(({ attributes }) => attributes["bus"]);
  if (buses.includes("ide") && !machine.startsWith("pc-i440fx"))
    throw unsupportedConfiguration(
      "qemu",
      "IDE controllers are unsupported for this QEMU binary or machine type",
    );
  if (firstAt(domain, "devices", "tpm") && !host.file.hasTpm)
    throw unsupportedConfiguration("qemu", "TPM version '2.0' is not supported");
  if (attributeAt(domain, ["os"], "firmware") !== "efi") return;
  if (!host.file.hasUefi)
    throw unsupportedConfiguration("qemu", "Unable to find any firmware to satisfy 'efi'");
  if (!firstAt(domain, "features", "acpi"))
    throw unsupportedConfiguration("qemu", "UEFI requires ACPI on this architecture");
}

function withMemory(domain: XmlElement): XmlElement {
  const bytes = bytesOf(firstAt(domain, "memory"), "KiB");
  if (bytes === undefined) throw badXml("domain", "missing memory element");
  const current = bytesOf(firstAt(domain, "currentMemory"), "KiB") ?? bytes;
  const inKiB = (name: string, amount: number): XmlElement =>
    made(name, { unit: "KiB" }, Math.round(amount / 1024));
  const whole = withChild(domain, inKiB("memory", bytes));
  return withChild(whole, inKiB("currentMemory", current), ["memory"]);
}

/** A machine keeps the version it was made with. */
const withMachine = (os: XmlElement, architecture: string): XmlElement =>
  changed(os, "type", (type) =>
    withAttributes(type, {
      arch: architecture,
      machine: machineVersion(type.attributes["machine"] ?? "pc", architecture),
    }),
  );

function withFirmware(host: SimHost, domain: XmlElement, os: XmlElement): XmlElement {
  if (os.attributes["firmware"] !== "efi" || firstAt(os, "loader") || !host.file.hasUefi) return os;
  const isSecure = allAt(os, "firmware", "feature").some(
    ({ attributes }) => attributes["name"] === "secure-boot" && attributes["enabled"] === "yes",
  );
  const code = `/usr/share/OVMF/OVMF_CODE_4M${isSecure ? ".secboot" : ""}.fd`;
  const loader = made(
    "loader",
    { readonly: "yes", secure: isSecure ? "yes" : undefined, type: "pflash" },
    code,
  );
  const variables = `/var/lib/libvirt/qemu/nvram/${demandTextAt(domain, "name")}_VARS.fd`;
  return withChildren(os, [...os.children, loader, made("nvram", {}, variables)]);
}

function withDevices(host: SimHost, devices: XmlElement, architecture: string): XmlElement {
  const emulator = firstAt(devices, "emulator") ?? made("emulator", {}, emulators[architecture] ?? "");
  const others = withoutChild(devices, "emulator").children.map((device) => completeDevice(host, device));
  const balloon = others.some(({ name }) => name === "memballoon")
    ? []
    : [made("memballoon", { model: "virtio" })];
  return withChildren(devices, [emulator, ...others, ...balloon]);
}

/** A device as libvirt keeps it, alone or in its machine. */
export function completeDevice(host: SimHost, device: XmlElement): XmlElement {
  if (device.name === "interface") {
    const mac = attributeAt(device, ["mac"], "address")?.toLowerCase() ?? newMac(host.random);
    const { children } = withoutChild(device, "mac");
    return withChildren(device, [made("mac", { address: mac }), ...children]);
  }
  if (device.name !== "disk") return device;
  const named = withAttributes(device, { device: device.attributes["device"] ?? "disk" });
  const driven = firstAt(named, "driver")
    ? named
    : withChildren(named, [made("driver", { name: "qemu", type: "raw" }), ...named.children]);
  const isDisc = driven.attributes["device"] === "cdrom";
  return isDisc && !firstAt(driven, "readonly") ? withChild(driven, made("readonly"), ["target"]) : driven;
}
