import path from "node:path";
import type { SimHost } from "../host.ts";
import { internalError, systemError } from "../refusal.ts";
import type { Place, SimVolume } from "../state.ts";

/** The place of a pool; made when it is a folder that nobody has used yet. */
export function placeAt(host: SimHost, folder: string, isBlock = false): Place {
  return (host.state.places[folder] ??= { sizeBytes: host.file.size, isBlock, volumes: {} });
}

export const usedBytes = ({ volumes }: Place): number =>
  Object.values(volumes).reduce((sum, volume) => sum + volume.allocationBytes, 0);

export const freeBytes = (place: Place): number => Math.max(0, place.sizeBytes - usedBytes(place));

/** What lies at a path of the host. */
export function volumeAt(host: SimHost, file: string): SimVolume | undefined {
  return host.state.places[path.posix.dirname(file)]?.volumes[path.posix.basename(file)];
}

/** The image that a disk began as, its own or that of the one it stands on. */
export function originOf(host: SimHost, volume: SimVolume): string | undefined {
  if (volume.origin !== undefined || !volume.backing) return volume.origin;
  const base = volumeAt(host, volume.backing.path);
  return base && originOf(host, base);
}

const extentBytes = 4 * 2 ** 20;

/** Refuses what the place has no room for, in the words of its kind. */
export function demandRoom(place: Place, folder: string, name: string, moreBytes: number): void {
  const free = freeBytes(place);
  if (moreBytes <= free) return;
  throw place.isBlock ? groupFull(folder, name, free, moreBytes) : diskFull(folder, name, moreBytes);
}

export const diskFull = (folder: string, name: string, moreBytes: number) =>
  systemError(
    "storage",
    `cannot allocate ${moreBytes} bytes in file '${folder}/${name}': No space left on device`,
  );

function groupFull(folder: string, name: string, free: number, moreBytes: number) {
  const group = path.posix.basename(folder);
  const extents = (bytes: number): number => Math.ceil(bytes / extentBytes);
  return internalError(
    "storage",
    `Child process (lvcreate --name ${name} -L ${moreBytes / 1024}K ${group}) unexpected exit status 5:   Volume group "${group}" has insufficient free space (${extents(free)} extents): ${extents(moreBytes)} required.\n`,
  );
}
