import { seedIso } from "../../../images/index.ts";
import type { MachineKind } from "./machine-board.ts";
import type { DiskCache, MachineDisk } from "../disks/machine-disks.ts";
import type { MachineWant } from "./machine-want.ts";
import type { MachineXml } from "./machine-xml.ts";
import type { MachineMark, MarkedDisk } from "../mark.ts";
import {
  configSeedVolume,
  consoleVolume,
  dataSerial,
  dataVolume,
  machineName,
  machineUuid,
  seedVolume,
  systemSerial,
  systemVolume,
} from "../names.ts";
import { formatIn, sourceOf, volumePath, type Place } from "../pool/open-pool.ts";

/** What a machine is defined with on its host beside what the file says. */
export interface Ground {
  slipway: string;
  accelerator: "kvm" | "qemu";
  /** Pools by name. */
  places: Record<string, Place>;
}

/** The whole definition of a machine. */
export function machineDefinition(want: MachineWant, ground: Ground): MachineXml {
  const { cluster, node } = want;
  const place = placeOf(ground, want.pool);
  return {
    ...bareDefinition(want, ground),
    title: `${node} of Kubernetes cluster ${cluster}, made by Slipway`,
    consoleLog: place.isBlock ? undefined : volumePath(place, consoleVolume(cluster, node)),
    disks: [systemDisk(want, ground), ...want.dataDisks.map((_, index) => dataDisk(want, ground, index + 1))],
    seed: { source: sourceOf(place, seedName(want)) },
    nics: want.nics,
  };
}

export const seedName = ({ cluster, node, seed, hasConfigSeed }: MachineWant): string =>
  hasConfigSeed ? configSeedVolume(cluster, node) : seedVolume(cluster, node, seedIso(seed));

/** Ours by its mark, and nothing more: it stands for all that is being made under its name. */
export function bareDefinition(want: MachineWant, ground: Ground): MachineXml {
  const { cluster, node, hardware = {} } = want;
  const isUefi = want.architecture === "aarch64" || want.isSecureBoot || hardware.firmware === "uefi";
  const cpu = cpuNames[hardware.cpu ?? ""] ?? hardware.cpu;
  return {
    name: want.name ?? machineName(cluster, node),
    uuid: machineUuid(cluster, node),
    mark: machineMarkOf(want, ground.slipway),
    title: `${node} of Kubernetes cluster ${cluster}, being made by Slipway`,
    cores: want.cores,
    memoryMiB: want.memoryMiB,
    ioThreads: hardware.ioThreads ? 1 + want.dataDisks.length : undefined,
    accelerator: ground.accelerator,
    architecture: want.architecture,
    machine: machineKind(want),
    firmware: isUefi ? "uefi" : "bios",
    isSecureBoot: want.isSecureBoot === true,
    cpu,
    hasTpm: hardware.tpm ?? want.isSecureBoot === true,
    hasRng: hardware.rng ?? true,
    hasAgentChannel: true,
    disks: [],
    nics: [],
  };
}

/** As other hypervisors call them. */
const cpuNames: Record<string, string> = { host: "host-passthrough", max: "maximum" };

function machineKind({ architecture, hardware }: MachineWant): MachineKind {
  if (architecture === "aarch64") return "virt";
  return hardware?.machine === "i440fx" ? "pc" : "q35";
}

export function machineMarkOf(want: MachineWant, slipway: string): MachineMark {
  const data = want.dataDisks.map((disk): MarkedDisk => ({
    for: disk.for,
    isDisposable: disk.isDisposable ? true : undefined,
  }));
  return {
    cluster: want.cluster,
    node: want.node,
    role: want.role,
    image: want.image.file,
    slipway,
    address: want.address,
    isProtected: want.isProtected ? true : undefined,
    insteadOf: want.insteadOf,
    // Nothing when they are as everybody expects.
    data: data.some((disk) => disk.for !== undefined || disk.isDisposable) ? data : undefined,
  };
}

const systemDisk = (want: MachineWant, ground: Ground): MachineDisk => {
  const place = placeOf(ground, want.pool);
  const format = formatIn(place);
  return {
    source: sourceOf(place, systemVolume(want.cluster, want.node, format)),
    format,
    target: "vda",
    serial: systemSerial,
    bootOrder: 1,
    ...common(want, place, 1),
  };
};

/** Its place follows from its number, so that no disk moves when another comes or goes. */
export const dataDisk = (want: MachineWant, ground: Ground, number: number): MachineDisk => {
  const place = placeOf(ground, want.dataDisks[number - 1]?.pool ?? want.pool);
  const format = formatIn(place);
  return {
    source: sourceOf(place, dataVolume(want.cluster, want.node, number, format)),
    format,
    target: `vd${String.fromCharCode(97 + number)}`,
    serial: dataSerial(number),
    ...common(want, place, 1 + number),
  };
};

const common = (
  { hardware }: MachineWant,
  { isBlock }: Place,
  thread: number,
): Pick<MachineDisk, "bus" | "cache" | "ioThread"> => ({
  bus: "virtio",
  // Files may lie on a file system that cannot go past the host's memory.
  cache: (isBlock ? "none" : "default") satisfies DiskCache,
  ioThread: hardware?.ioThreads ? thread : undefined,
});

export function placeOf(ground: Pick<Ground, "places">, pool: string): Place {
  const place = ground.places[pool];
  if (!place) throw new Error(`pool ${pool} was not surveyed`);
  return place;
}

/** Pools that a machine needs. */
export const poolsOf = (want: MachineWant): string[] => [
  ...new Set([want.pool, want.image.pool, ...want.dataDisks.map((disk) => disk.pool)]),
];
