import type { MachineConfig } from "../../../clients/proxmox/index.ts";
import { sizeGiB, volumeIn } from "./machine-disks.ts";
import { properties } from "../property-text.ts";

/** What a shelf says of itself. A disk is written here before it is moved, so a line without a disk means nothing. */
export interface KeptDisksMark {
  cluster: string;
  slipway: string;
  disks: KeptDiskInMachine[];
}

/** A data disk that waits for its node to be made again. */
export interface KeptDiskInMachine {
  /** Of the shelf. */
  slot: string;
  node: string;
  /** Among the data disks of its node, from 0. */
  index: number;
  for?: string | undefined;
}

export interface KeptDisksMachine {
  host: string;
  /** The Proxmox node it is on. */
  on: string;
  vmid: number;
  cluster: string;
  disks: (KeptDiskInMachine & { sizeGiB: number; volume: string })[];
  /** Disks in it, also those that were put there by hand. */
  taken: string[];
}

export const keptDisksTag = "slipway-shelf";
export const keptDisksName = (cluster: string): string => `${cluster}-kept-disks`;
const block = /<!-- slipway-shelf (\{.*?\}) -->/;

export const keptDisksText = (mark: KeptDisksMark): string =>
  [
    `Data disks of cluster ${mark.cluster} whose machines were removed, kept by Slipway. "slipway up" gives them back to their nodes; "slipway down ${mark.cluster} --with-data" removes them.`,
    "",
    ...mark.disks.map(
      (disk) => `- ${disk.slot}: data disk ${disk.index + 1} of ${disk.node}${purpose(disk)}`,
    ),
    "",
    `<!-- slipway-shelf ${JSON.stringify(mark)} -->`,
  ].join("\n");

const purpose = (disk: KeptDiskInMachine): string => (disk.for === undefined ? "" : ` (${disk.for})`);

/** Reads a configuration; undefined when it is not a shelf of ours. */
export function readKeptDisksMachine(
  config: MachineConfig,
  place: { host: string; on: string; vmid: number },
): KeptDisksMachine | undefined {
  const mark = readKeptDisksMark(config["description"] ?? "");
  if (!mark) return undefined;
  const taken = Object.keys(config).filter((key) => isDisk(key, config[key] ?? ""));
  const disks = mark.disks
    .filter((disk) => taken.includes(disk.slot))
    .map((disk) => {
      const drive = config[disk.slot] ?? "";
      return { ...disk, sizeGiB: sizeGiB(drive), volume: volumeIn(drive) };
    });
  return { ...place, cluster: mark.cluster, disks, taken };
}

function readKeptDisksMark(description: string): KeptDisksMark | undefined {
  const found = block.exec(description);
  if (!found) return undefined;
  try {
    const { cluster, slipway, disks } = JSON.parse(found[1] ?? "") as Partial<KeptDisksMark>;
    if (cluster === undefined) return undefined;
    return { cluster, slipway: slipway ?? "", disks: Array.isArray(disks) ? disks : [] };
  } catch {
    return undefined;
  }
}

/** A disk that goes when its machine goes: any drive but a CD, and what was detached and left behind. */
export const isDisk = (key: string, drive: string): boolean =>
  /^(scsi|virtio|sata|ide|unused)\d+$/.test(key) && properties(drive).get("media") !== "cdrom";
