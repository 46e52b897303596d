import { allAt, firstAt, textAt, type XmlElement } from "../../../lib/index.ts";
import { demandText, readDocument } from "../read-document.ts";

/** What a host can run. */
export interface HostCapabilities {
  architecture: string;
  /** `apparmor`, `selinux`, `dac`: what keeps machines to their own files. */
  securityDrivers: string[];
  guests: GuestCapabilities[];
}

export interface GuestCapabilities {
  architecture: string;
  emulator: string;
  /** Guests use the processor itself; else it is emulated, several times slower. */
  hasKvm: boolean;
  machines: { name: string; maxCores?: number | undefined }[];
}

export function readHostCapabilities(xml: string): HostCapabilities {
  const capabilities = readDocument(xml, "capabilities");
  const host = firstAt(capabilities, "host");
  return {
    architecture: demandText(capabilities, "host", "cpu", "arch"),
    securityDrivers: allAt(host, "secmodel", "model")
      .map(({ text }) => text.trim())
      .filter((name) => name !== "none"),
    guests: allAt(capabilities, "guest")
      .filter((guest) => textAt(guest, "os_type") === "hvm")
      .flatMap((guest) => allAt(guest, "arch").map(readGuest)),
  };
}

function readGuest(arch: XmlElement): GuestCapabilities {
  return {
    architecture: arch.attributes["name"] ?? "",
    emulator: textAt(arch, "emulator") ?? "",
    hasKvm: allAt(arch, "domain").some(({ attributes }) => attributes["type"] === "kvm"),
    machines: allAt(arch, "machine").map(({ text, attributes }) => ({
      name: text.trim(),
      maxCores: attributes["maxCpus"] === undefined ? undefined : Number(attributes["maxCpus"]),
    })),
  };
}

/** What one kind of machine can have on a host. */
export interface MachineCapabilities {
  accelerator: "kvm" | "qemu";
  architecture: string;
  /** With its version: `pc-q35-7.2`. */
  machine: string;
  emulator: string;
  maxCores: number;
  hasUefi: boolean;
  canSecureBoot: boolean;
  /** A TPM made by swtpm. */
  hasTpm: boolean;
  /** Ways to choose a processor: `host-passthrough`, `maximum`, `custom`. */
  cpuModes: string[];
  /** Models that this host can really give. */
  cpuModels: string[];
}

export function readMachineCapabilities(xml: string): MachineCapabilities {
  const found = readDocument(xml, "domainCapabilities");
  const [os, cpu] = [firstAt(found, "os"), firstAt(found, "cpu")];
  const modes = allAt(cpu, "mode").filter(isSupported);
  return {
    accelerator: textAt(found, "domain") === "kvm" ? "kvm" : "qemu",
    architecture: demandText(found, "arch"),
    machine: demandText(found, "machine"),
    emulator: demandText(found, "path"),
    maxCores: Number(firstAt(found, "vcpu")?.attributes["max"] ?? 1),
    hasUefi: valuesOf(os, "firmware").includes("efi"),
    canSecureBoot: valuesOf(firstAt(os, "loader"), "secure").includes("yes"),
    hasTpm: valuesOf(firstAt(found, "devices", "tpm"), "backendModel").includes("emulator"),
    cpuModes: modes.flatMap(({ attributes }) => attributes["name"] ?? []),
    cpuModels: modes
      .filter(({ attributes }) => attributes["name"] === "custom")
      .flatMap((mode) => allAt(mode, "model"))
      .filter(({ attributes }) => attributes["usable"] !== "no")
      .map(({ text }) => text.trim()),
  };
}

const isSupported = ({ attributes }: XmlElement): boolean => attributes["supported"] === "yes";

const valuesOf = (of: XmlElement | undefined, name: string): string[] =>
  allAt(of, "enum")
    .filter(({ attributes }) => attributes["name"] === name)
    .flatMap((each) => allAt(each, "value"))
    .map(({ text }) => text.trim());
