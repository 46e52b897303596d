import { badParameter, refusal } from "../../api-error.ts";
import { allocateDisk } from "../../storage/allocate-disk.ts";
import type { Cluster } from "../../cluster.ts";
import { fillVolume } from "../../storage/disk-space.ts";
import type { Properties } from "../../parameters/property-string.ts";
import type { Volume } from "../../state.ts";
import {
  contentOf,
  findStorage,
  findVolume,
  isFileStorage,
  isVolumeId,
  splitVolumeId,
  volumeId,
  volumePath,
} from "../../storage/volumes.ts";
import type { TaskRun } from "../../tasks.ts";
import { drivesOf, isCloudInit, parseValue, printDrive, type Config } from "./config.ts";

const gib = 2 ** 30;
/** What a firmware keeps its variables in; the smaller one is that of old. */
const efiBytes = { "2m": 128 * 1024, "4m": 528 * 1024 } as const;
const tpmBytes = 4 * 2 ** 20;
const cloudInitBytes = 4 * 2 ** 20;

/** `STORAGE:SIZE` asks for a new disk of so many GiB. */
const newDisk = /^([^:\s]+):(\d+(?:\.\d+)?)$/;
const newCloudInit = /^([^:\s]+):cloudinit$/;

export type DriveWish =
  | { kind: "none" }
  | { kind: "new"; storage: string; sizeGiB: number }
  | { kind: "import"; storage: string; source: string }
  | { kind: "cloudinit"; storage: string }
  | { kind: "existing"; volid: string };

/** What a drive setting asks for; throws what the server says of the settings it does not take. */
export function driveWish(slot: string, drive: Properties): DriveWish {
  const file = drive["file"] ?? "none";
  const source = drive["import-from"];
  const [, storage = "", size = ""] = newDisk.exec(file) ?? [];
  if (source !== undefined) {
    if (storage === "" || Number(size) !== 0) {
      throw badParameter({
        [slot]: "'import-from' requires special syntax - use <storage ID>:0,import-from=<source>",
      });
    }
    return { kind: "import", storage, source };
  }
  if (file === "none" || file === "cdrom") return { kind: "none" };
  if (storage !== "") return { kind: "new", storage, sizeGiB: Number(size) };
  const cloudInit = newCloudInit.exec(file)?.[1];
  return cloudInit === undefined
    ? { kind: "existing", volid: file }
    : { kind: "cloudinit", storage: cloudInit };
}

export const isCopying = (slot: string, value: string | number): boolean =>
  driveWish(slot, parseValue(slot, value)).kind === "import";

interface Placed {
  value: string;
  created?: Volume;
}

/** Makes the volumes that drive settings ask for, in the order of their slots; on failure none is left. */
export async function placeDrives(
  cluster: Cluster,
  run: Pick<TaskRun, "log">,
  where: { node: string; vmid: number },
  wanted: Config,
  present: Config = wanted,
  isTemplate = false,
): Promise<{ config: Config; created: Volume[] }> {
  const config: Config = {};
  const created: Volume[] = [];
  try {
    for (const slot of Object.keys(wanted).toSorted()) {
      const drive = parseValue(slot, wanted[slot] ?? "");
      if (isCloudInit(drive["file"] ?? "")) demandOnlySeed({ ...present, ...config }, slot);
      const placed = await placeDrive(cluster, run, where, slot, drive);
      config[slot] = isTemplate ? asBase(slot, placed) : placed.value;
      if (!placed.created) continue;
      created.push(placed.created);
      run.log(`${slot}: successfully created disk '${placed.value}'`);
    }
  } catch (error) {
    cluster.state.volumes = cluster.state.volumes.filter((volume) => !created.includes(volume));
    throw error;
  }
  return { config, created };
}

/** What a template gets is something to stand on from the first moment. */
function asBase(slot: string, { value, created }: Placed): string {
  if (!created || isCloudInit(created.name)) return value;
  makeBase(created);
  return printDrive(slot, { ...parseValue(slot, value), file: volumeId(created) });
}

/** Disks of a template are called `base` instead of `vm`. */
export function makeBase(volume: Volume): void {
  volume.name = volume.name.replace(/(^|\/)vm-(?!.*\/)/, "$1base-");
}

/** Also one that is about to leave counts, so it has to leave first. */
function demandOnlySeed(config: Config, slot: string): void {
  const other = drivesOf(config).find((drive) => drive.slot !== slot && isCloudInit(drive.file));
  if (other) throw refusal(`${slot} - cloud-init drive is already attached at '${other.slot}'`);
}

async function placeDrive(
  cluster: Cluster,
  run: Pick<TaskRun, "log">,
  where: { node: string; vmid: number },
  slot: string,
  drive: Properties,
): Promise<Placed> {
  const wish = driveWish(slot, drive);
  switch (wish.kind) {
    case "none": {
      const { size: _size, ...rest } = drive;
      return { value: printDrive(slot, rest) };
    }
    case "existing": {
      const volume = findVolume(cluster, wish.volid, where.node);
      if (!volume) {
        const shown = isVolumeId(wish.volid) ? `'${wish.volid}'` : wish.volid;
        throw refusal(`volume ${shown} does not exist`);
      }
      demandFormat(slot, drive, volume);
      return { value: printDrive(slot, { ...drive, size: printSize(volume.sizeBytes) }) };
    }
    case "cloudinit": {
      const format = drive["format"] ?? "qcow2";
      return allocated(
        slot,
        { ...drive, media: "cdrom" },
        await allocateDisk(cluster, {
          ...where,
          storage: wish.storage,
          sizeBytes: cloudInitBytes,
          format,
          role: "cloudinit",
        }),
      );
    }
    case "new":
      return allocated(
        slot,
        drive,
        await allocateDisk(cluster, {
          ...where,
          storage: wish.storage,
          sizeBytes: newSize(slot, drive, wish.sizeGiB),
          format: slot === "tpmstate0" ? "raw" : (drive["format"] ?? "raw"),
          role: "disk",
        }),
      );
    case "import":
      return importDisk(cluster, run, where, slot, drive, wish);
  }
}

function demandFormat(slot: string, { format }: Properties, volume: Volume): void {
  if (format === undefined || volume.content !== "images" || format === volume.format) return;
  throw refusal(
    `drive '${slot}' - volume '${volumeId(volume)}' - 'format=${format}' option different from storage format '${volume.format}'`,
  );
}

/** Firmware drives have a size of their own whatever was asked for. */
function newSize(slot: string, { efitype }: Properties, sizeGiB: number): number {
  if (slot === "efidisk0") return efiBytes[efitype === "4m" ? "4m" : "2m"];
  return slot === "tpmstate0" ? tpmBytes : Math.ceil(sizeGiB * (gib / 1024)) * 1024;
}

async function importDisk(
  cluster: Cluster,
  run: Pick<TaskRun, "log">,
  where: { node: string; vmid: number },
  slot: string,
  drive: Properties,
  wish: { storage: string; source: string },
): Promise<Placed> {
  const source = findVolume(cluster, wish.source, where.node);
  if (!source) throw refusal(`failed to stat '${volumePath(cluster, wish.source)}'`);
  run.log(`create full clone of drive (${wish.source})`);
  const canKeepFormat = isFileStorage(findStorage(cluster, wish.storage));
  const volume = await allocateDisk(cluster, {
    ...where,
    storage: wish.storage,
    sizeBytes: source.sizeBytes,
    format: drive["format"] ?? (canKeepFormat ? source.format : "raw"),
    role: "disk",
    origin: source.origin,
  });
  fillVolume(cluster, volume, source.usedBytes, volumePath(cluster, wish.source));
  run.log(`allocated target volume '${volumeId(volume)}'`);
  return allocated(slot, drive, volume);
}

function allocated(slot: string, drive: Properties, volume: Volume): Placed {
  const { format: _format, "import-from": _source, ...rest } = drive;
  const isSized = !volume.name.includes("-cloudinit");
  const value = printDrive(slot, {
    ...rest,
    file: volumeId(volume),
    ...(isSized && { size: printSize(volume.sizeBytes) }),
  });
  return { value, created: volume };
}

/** The largest unit that leaves no remainder: `528K`, `2G`. */
export function printSize(bytes: number): string {
  let value = bytes;
  let unit = "";
  for (const next of ["K", "M", "G", "T"]) {
    if (value % 1024 !== 0) break;
    value /= 1024;
    unit = next;
  }
  return `${value}${unit}`;
}

export function parseSize(text: string): number {
  const [, number = "0", unit = ""] = /^(\d+(?:\.\d+)?)([KMGT]?)$/.exec(text) ?? [];
  return Math.floor(Number(number) * 1024 ** ["", "K", "M", "G", "T"].indexOf(unit));
}

/** Volume ids the server can read, and of a kind that can be imported. */
export function checkImportSource(cluster: Cluster, slot: string, source: string): void {
  const { storage, name } = splitVolumeId(source);
  const kind = contentOf(findStorage(cluster, storage), name);
  if (kind === "images" || kind === "import") return;
  throw badParameter({ [slot]: `${source} has wrong type '${kind}' - needs to be 'images' or 'import'` });
}
