import type { SlipwayError } from "../../../errors/index.ts";
import type { BareMachineLook } from "../../../plan/index.ts";
import type { ExistingMachine } from "../../../spec/index.ts";
import { bootMedium, noSuchDisk, otherKey, otherMac } from "../errors.ts";

type Free = Extract<BareMachineLook, { state: "free" }>;

/** Why a machine that is free is not the one the file means, or could not be installed as it says; the gravest first. */
export const misfits = (machine: ExistingMachine, look: Free, cluster: string): SlipwayError[] => [
  ...identityMisfits(machine, look, cluster),
  ...diskMisfits(machine, look, cluster),
];

export function identityMisfits(machine: ExistingMachine, look: Free, cluster: string): SlipwayError[] {
  const facts = { ...machine, node: machine.name, cluster };
  const { mac, fingerprint } = machine;
  const { macs } = look.hardware;
  return [
    ...(mac !== undefined && macs.length > 0 && !macs.includes(mac)
      ? [otherMac({ ...facts, mac, found: [...new Set(macs)] })]
      : []),
    ...(fingerprint !== undefined && look.fingerprint !== undefined && look.fingerprint !== fingerprint
      ? [otherKey({ ...facts, written: fingerprint, shown: look.fingerprint })]
      : []),
  ];
}

export function diskMisfits(machine: ExistingMachine, look: Free, cluster: string): SlipwayError[] {
  if (look.needsNoDisk) return [];
  const { disks } = look.hardware;
  if (!disks) return [];
  // A system that is on a disk already is not installed again.
  if (disks.some(({ isSystem }) => isSystem)) return [];
  const facts = { ...machine, node: machine.name, cluster };
  const disk = machine.disk ?? "/dev/sda";
  const found = disks.find(({ path }) => path === disk);
  const others = disks
    .filter(({ isBootMedium }) => !isBootMedium)
    .map(({ path, sizeGiB }) => `${path} (${sizeGiB} GiB)`);
  if (!found) return disk.startsWith("/dev/disk/") ? [] : [noSuchDisk({ ...facts, disk, found: others })];
  return found.isBootMedium ? [bootMedium({ ...facts, disk, others })] : [];
}
