import type { XmlElement } from "../../../lib/index.ts";
import type { SimHost } from "../host.ts";
import { internalError, invalidArgument } from "../refusal.ts";
import { made, printed } from "../xml.ts";

/** As libvirt writes versions: `10.0.0`, and QEMU `8.2.2`. */
export const versions = { libvirt: 10_000_000, qemu: 8_002_002 };
const boardVersion = "8.2";

export const emulators: Record<string, string> = {
  x86_64: "/usr/bin/qemu-system-x86_64",
  aarch64: "/usr/bin/qemu-system-aarch64",
};

const boards: Record<string, Record<string, string>> = {
  x86_64: { pc: `pc-i440fx-${boardVersion}`, q35: `pc-q35-${boardVersion}` },
  aarch64: { virt: `virt-${boardVersion}` },
};

/** `q35` with its version; what has one keeps it. */
export const machineVersion = (machine: string, architecture: string): string =>
  boards[architecture]?.[machine] ?? machine;

/** The machine's own processor is an x86 one. */
const ownArchitecture = "x86_64";

const domainKinds = (host: SimHost, architecture: string): string[] =>
  host.file.hasKvm && architecture === ownArchitecture ? ["qemu", "kvm"] : ["qemu"];

/** What the host can run. QEMU runs as root there: the folders of a simulated host are nobody's. */
export const capabilities = (host: SimHost): string =>
  printed(
    made("capabilities", {}, [
      made("host", {}, [
        made("uuid", {}, hostUuid(host.name)),
        made("cpu", {}, [
          made("arch", {}, ownArchitecture),
          made("model", {}, "EPYC-Milan"),
          made("vendor", {}, "AMD"),
          made("topology", { sockets: 1, dies: 1, cores: host.file.cores, threads: 1 }),
        ]),
        made("secmodel", {}, [
          made("model", {}, "dac"),
          made("doi", {}, 0),
          ...["kvm", "qemu"].map((type) => made("baselabel", { type }, "+0:+0")),
        ]),
      ]),
      ...Object.keys(emulators).map((architecture) => guestPiece(host, architecture)),
    ]),
  );

const hostUuid = (name: string): string =>
  `51199a70-0000-4000-8000-${Buffer.from(name).toString("hex").padEnd(12, "0").slice(0, 12)}`;

const guestPiece = (host: SimHost, architecture: string): XmlElement =>
  made("guest", {}, [
    made("os_type", {}, "hvm"),
    made("arch", { name: architecture }, [
      made("wordsize", {}, 64),
      made("emulator", {}, emulators[architecture] ?? ""),
      ...Object.entries(boards[architecture] ?? {}).flatMap(([alias, board]) => [
        made("machine", { maxCpus: maxCores }, board),
        made("machine", { canonical: board, maxCpus: maxCores }, alias),
      ]),
      ...domainKinds(host, architecture).map((type) => made("domain", { type })),
    ]),
    made("features", {}, [
      made("acpi", { default: "on", toggle: "yes" }),
      made("apic", { default: "on", toggle: "no" }),
    ]),
  ]);

export const maxCores = 255;

interface MachineQuestion {
  arch?: string | undefined;
  machine?: string | undefined;
  kind?: string | undefined;
}

/** What one kind of machine can have there. */
export function domainCapabilities(host: SimHost, asked: MachineQuestion): string {
  const architecture = asked.arch ?? ownArchitecture;
  const emulator = emulators[architecture];
  if (emulator === undefined)
    throw invalidArgument("qemu", `unknown emulator binary for arch ${architecture}`);
  const kinds = domainKinds(host, architecture);
  const kind = asked.kind ?? kinds.at(-1) ?? "qemu";
  if (!kinds.includes(kind))
    throw invalidArgument("qemu", `the accel '${kind}' is not supported by '${emulator}' on this host`);
  const usual = architecture === ownArchitecture ? "pc" : "virt";
  const machine = machineVersion(asked.machine ?? usual, architecture);
  if (!Object.values(boards[architecture] ?? {}).includes(machine))
    throw internalError("qemu", `the machine '${machine}' is not supported by emulator '${emulator}'`);
  const { hasUefi, hasTpm } = host.file;
  return printed(
    made("domainCapabilities", {}, [
      made("path", {}, emulator),
      made("domain", {}, kind),
      made("machine", {}, machine),
      made("arch", {}, architecture),
      made("vcpu", { max: maxCores }),
      made("os", { supported: "yes" }, [
        choices("firmware", hasUefi ? ["efi"] : []),
        made("loader", { supported: "yes" }, [
          choices("type", ["rom", ...(hasUefi ? ["pflash"] : [])]),
          choices("secure", hasUefi ? ["yes", "no"] : ["no"]),
        ]),
      ]),
      cpuPiece(kind),
      made("devices", {}, [
        made("disk", { supported: "yes" }, [
          choices("diskDevice", ["disk", "cdrom"]),
          choices("bus", ["scsi", "virtio", "sata"]),
        ]),
        made("tpm", { supported: "yes" }, [
          choices("model", ["tpm-tis", "tpm-crb"]),
          choices("backendModel", ["passthrough", ...(hasTpm ? ["emulator"] : [])]),
        ]),
      ]),
    ]),
  );
}

const choices = (name: string, values: string[]): XmlElement =>
  made(
    "enum",
    { name },
    values.map((value) => made("value", {}, value)),
  );

const models = [
  "qemu64",
  "Nehalem",
  "Westmere",
  "Haswell",
  "Skylake-Server",
  "EPYC",
  "EPYC-Milan",
  "x86-64-v2-AES",
];

function cpuPiece(kind: string): XmlElement {
  const isKvm = kind === "kvm";
  const mode = (name: string, isSupported: boolean, inside: XmlElement[] = []): XmlElement =>
    made("mode", { name, supported: isSupported ? "yes" : "no" }, inside);
  return made("cpu", {}, [
    mode("host-passthrough", isKvm),
    mode("maximum", true),
    mode("host-model", true, [made("model", { fallback: "forbid" }, "EPYC-Milan")]),
    mode(
      "custom",
      true,
      models.map((model) => made("model", { usable: "yes" }, model)),
    ),
  ]);
}
