import { SlipwayError } from "../../../errors/index.ts";
import type { LibvirtClient, Pool, Volume } from "../../../clients/libvirt/index.ts";
import type { DiskSource } from "../disks/machine-disks.ts";
import type { VolumeFormat } from "../names.ts";
import { readPool } from "./pool-xml.ts";

/** Where a pool keeps its volumes, in plain data. */
export interface Place {
  /** Of the host: a folder, or the one that its block devices are seen in. */
  path: string;
  /** Its volumes are block devices: they hold one plain disk each and cannot stand on another. */
  isBlock: boolean;
}

/** A pool that is there. */
export interface OpenPool extends Place {
  pool: Pool;
}

const blockKinds = new Set(["logical", "zfs", "disk", "iscsi", "scsi", "mpath"]);
export const isBlockKind = (kind: string): boolean => blockKinds.has(kind);

/** Undefined while there is no such pool. */
export async function openPool(
  client: LibvirtClient,
  name: string,
  signal: AbortSignal,
): Promise<OpenPool | undefined> {
  return unlessMissing(async () => {
    const pool = await client.findPool(name, signal);
    const { path, kind } = readPool(await client.poolXml(pool, signal));
    return { pool, path, isBlock: isBlockKind(kind) };
  });
}

/** Volumes of a pool by name; none of one that is not there or not started. */
export async function volumesIn(
  client: LibvirtClient,
  place: OpenPool | undefined,
  signal: AbortSignal,
): Promise<Map<string, Volume>> {
  if (!place) return new Map();
  const volumes = await unlessMissing(async () => {
    const { isActive } = await client.poolInfo(place.pool, signal);
    return isActive ? unlessStopped(() => client.volumes(place.pool, signal)) : [];
  });
  return new Map((volumes ?? []).map((volume) => [volume.name, volume]));
}

/** It may be stopped between two questions. */
async function unlessStopped<T>(ask: () => Promise<T[]>): Promise<T[]> {
  try {
    return await ask();
  } catch (thrown) {
    if (hasCode(thrown, "LIBVIRT_WRONG_STATE")) return [];
    throw thrown;
  }
}

export const volumePath = (place: Place, volume: string): string => `${place.path}/${volume}`;

export const sourceOf = (place: Place, volume: string): DiskSource => ({
  kind: place.isBlock ? "block" : "file",
  path: volumePath(place, volume),
});

/** As new disks are kept there. */
export const formatIn = (place: Pick<Place, "isBlock">): VolumeFormat => (place.isBlock ? "raw" : "qcow2");

export const isMissing = (thrown: unknown): boolean => hasCode(thrown, "LIBVIRT_NOT_FOUND");
export const hasCode = (thrown: unknown, code: string): thrown is SlipwayError =>
  thrown instanceof SlipwayError && thrown.code === code;

/** What is gone meanwhile is as good as never found. */
export async function unlessMissing<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}

export const bytesOfGiB = (sizeGiB: number): number => Math.round(sizeGiB * 2 ** 30);
export const gibOfBytes = (bytes: number): number => Math.round((bytes / 2 ** 30) * 100) / 100;
