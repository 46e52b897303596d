import { diskSizeUnclear } from "../errors.ts";
import type { MachineConfigDocument } from "../config-document.ts";
import type { DiskSelector } from "../machine-intent.ts";

/** The disk as `machine.install` names it before contract 1.14. */
export const legacyDisk = (disk: string | DiskSelector | undefined): MachineConfigDocument =>
  typeof disk === "object" ? { diskSelector: { ...disk } } : { disk };

/** The disk in Talos's expression language, as documents select it. */
export function diskExpression(disk: string | DiskSelector): string {
  if (typeof disk === "string") return `disk.dev_path == ${quoted(disk)}`;
  const conditions = [
    disk.size === undefined ? undefined : sizeCondition(disk.size),
    matching("model", disk.model),
    matching("serial", disk.serial),
    matching("wwid", disk.wwid),
    matching("uuid", disk.uuid),
    matching("bus_path", disk.busPath),
    disk.type === undefined ? undefined : typeConditions[disk.type],
  ];
  return conditions.filter((condition) => condition !== undefined).join(" && ");
}

const typeConditions: Record<NonNullable<DiskSelector["type"]>, string> = {
  nvme: 'disk.transport == "nvme"',
  sd: 'disk.transport == "mmc"',
  ssd: "!disk.rotational",
  hdd: "disk.rotational",
};

function matching(field: string, pattern: string | undefined): string | undefined {
  if (pattern === undefined) return undefined;
  return pattern.includes("*")
    ? `glob(${quoted(pattern)}, disk.${field})`
    : `disk.${field} == ${quoted(pattern)}`;
}

/** `>= 100GB` becomes `disk.size >= 100u * GB`; a size alone means exactly that size. */
function sizeCondition(size: string): string {
  const found = /^\s*(<=|>=|==|<|>)?\s*(\d+)\s*([kKMGTPE]i?)?B?\s*$/.exec(size);
  if (!found) throw diskSizeUnclear({ size });
  const [, comparison = "==", count = "0", unit] = found;
  const prefix = unit === "K" ? "k" : unit;
  return `disk.size ${comparison} ${count}u${prefix === undefined ? "" : ` * ${prefix}B`}`;
}

const quoted = (text: string): string => JSON.stringify(text);
