import { badParameter } from "../../api-error.ts";
import type { Cluster } from "../../cluster.ts";
import type { Properties } from "../../parameters/property-string.ts";
import {
  contentOf,
  findStorage,
  isFileStorage,
  splitVolumeId,
  storagePath,
  storagesOf,
} from "../../storage/volumes.ts";
import { isDrive, parseValue, printDrive, type Config } from "./config.ts";
import { driveWish } from "./disks.ts";

/** Drive settings as the server goes on with them: paths turned into volumes, the medium of a CD drive named. */
export function tidyDrives(cluster: Cluster, config: Config): Config {
  const slots = Object.keys(config).filter(isDrive).toSorted();
  return {
    ...config,
    ...Object.fromEntries(
      slots.map((slot) => [
        slot,
        printDrive(slot, tidyDrive(cluster, slot, parseValue(slot, config[slot] ?? ""))),
      ]),
    ),
  };
}

/** Limits that mean nothing without another one, and pairs of limits that contradict each other. */
const needs: [string, string][] = [
  ["mbps_max", "mbps"],
  ["mbps_rd_max", "mbps_rd"],
  ["mbps_wr_max", "mbps_wr"],
  ["bps_max_length", "mbps_max"],
  ["bps_rd_max_length", "mbps_rd_max"],
  ["bps_wr_max_length", "mbps_wr_max"],
  ["iops_max_length", "iops_max"],
  ["iops_rd_max_length", "iops_rd_max"],
  ["iops_wr_max_length", "iops_wr_max"],
];
const contradictions: [string, string][] = [
  ["mbps", "mbps_rd"],
  ["mbps", "mbps_wr"],
  ["iops", "iops_rd"],
  ["iops", "iops_wr"],
  ["bps", "mbps"],
  ["bps_rd", "mbps_rd"],
  ["bps_wr", "mbps_wr"],
];
/** What a CD has none of. */
const ofDisksOnly = ["snapshot", "trans", "format", "heads", "secs", "cyls"];

/** What the schema lets through and no drive can be. Of such a drive nothing else is looked at. */
export function isDriveSensible(slot: string, drive: Properties): boolean {
  const has = (key: string) => drive[key] !== undefined && drive[key] !== "0";
  if (needs.some(([limit, other]) => has(limit) && !has(other))) return false;
  if (contradictions.some(([one, other]) => has(one) && has(other))) return false;
  return drive["media"] !== "cdrom" || !(ofDisksOnly.some(has) || slot.startsWith("virtio"));
}

function tidyDrive(cluster: Cluster, slot: string, given: Properties): Properties {
  if (!isDriveSensible(slot, given)) throw badParameter({ [slot]: "unable to parse drive options" });
  demandImportKeys(slot, given);
  const drive = withVolume(cluster, slot, given);
  const { file = "none", media } = drive;
  if (media === undefined && (file === "none" || file === "cdrom")) return { ...drive, media: "cdrom" };
  const wish = driveWish(slot, drive);
  if (
    wish.kind === "existing" &&
    !file.startsWith("/") &&
    media !== "cdrom" &&
    kindOf(cluster, file) === "iso"
  ) {
    throw badParameter({ [slot]: "explicit 'media=cdrom' is required for iso images" });
  }
  return drive;
}

/** Of a firmware drive that is copied, the server cannot guess the kind. */
function demandImportKeys(slot: string, drive: Properties): void {
  if (drive["import-from"] === undefined) return;
  const required = { efidisk0: ["efitype", "pre-enrolled-keys"], tpmstate0: ["version"] }[slot] ?? [];
  const missing = required.find((key) => drive[key] === undefined);
  driveWish(slot, drive);
  if (missing !== undefined) {
    throw badParameter({ [slot]: `need to specify '${missing}' when using 'import-from'` });
  }
}

const kindOf = (cluster: Cluster, volid: string): string => {
  const { storage, name } = splitVolumeId(volid);
  return contentOf(findStorage(cluster, storage), name);
};

/** A path below a storage names a volume of it; devices of the host stay as they are. */
function withVolume(cluster: Cluster, slot: string, drive: Properties): Properties {
  const { file = "none", media } = drive;
  if (!file.startsWith("/") || /^\/dev\/./.test(file) || /^[^:]+:./.test(file)) return drive;
  const found = volumeAt(cluster, file);
  if (!found) throw badParameter({ [slot]: `unable to associate path '${file}' to any storage` });
  const kind = media ?? (found.kind === "iso" ? "cdrom" : undefined);
  const expected = kind === "cdrom" ? "iso" : "images";
  if (kind !== undefined && found.kind !== expected) {
    throw badParameter({ [slot]: `unexpected media type (${found.kind} != ${expected})` });
  }
  return { ...drive, file: found.volid, ...(kind !== undefined && { media: kind }) };
}

const folders: [string, RegExp][] = [
  ["images", /^images\/(\d+\/[^/\s]+)$/],
  ["iso", /^template\/(iso\/[^/]+\.(?:iso|img))$/i],
  ["snippets", /^(snippets\/[^/]+)$/],
  ["import", /^(import\/[^/]+\.(?:ova|qcow2|raw|vmdk))$/],
];

function volumeAt(cluster: Cluster, path: string): { volid: string; kind: string } | undefined {
  for (const [name, storage] of Object.entries(storagesOf(cluster))) {
    const base = `${storagePath(name, storage)}/`;
    if (!isFileStorage(storage) || !path.startsWith(base)) continue;
    for (const [kind, pattern] of folders) {
      const volume = pattern.exec(path.slice(base.length))?.[1];
      if (volume !== undefined) return { volid: `${name}:${volume}`, kind };
    }
  }
  return undefined;
}
