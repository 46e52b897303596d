import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileSource, type BackupSource } from "../../backups/index.ts";
import type { S3Client } from "../../clients/s3/index.ts";
import { isDraft, removeFiles, replaceFile } from "../../lib/index.ts";
import type { BackupPlace, Cluster } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { bucketUnknown, placeRefused } from "./errors.ts";

/** A finished archive on its way to a place. */
export interface Archive {
  bytes(): AsyncIterable<Uint8Array>;
  /** Gives it this name where it lies, if that is the name it was made for; otherwise false. */
  keepAs(file: string): Promise<boolean>;
}

/** Where backups lie. */
export interface Place {
  /** As people name it: a folder, or `s3://bucket/prefix`. */
  name: string;
  /** Where its files are, if that is a folder of this machine: an archive takes shape there. */
  folder?: string;
  /** Whole under its name, or not at all. */
  write(name: string, archive: Archive, signal: AbortSignal): Promise<void>;
  /** Names that backups of this cluster may have. */
  list(cluster: string, signal: AbortSignal): Promise<{ name: string; sizeBytes: number }[]>;
  source(name: string, signal: AbortSignal): BackupSource;
  remove(name: string, signal: AbortSignal): Promise<void>;
  /** Takes away what runs that were killed before a time have left of backups of this cluster. */
  tidy(cluster: string, before: number, signal: AbortSignal): Promise<void>;
}

/** `lab-20260714-093102.backup.tar`: the cluster, and when it was taken. */
export const backupName = (cluster: string, run: string): string => `${cluster}-${run}.backup.tar`;

export const isBackupName = (cluster: string, name: string): boolean =>
  name.startsWith(`${cluster}-`) && /^\d{8}-\d{6}\.backup\.tar$/.test(name.slice(cluster.length + 1));

/** The places of a cluster as the file has them, or the one somebody named. */
export async function placesOf(cluster: Cluster, to: string | undefined, world: World): Promise<Place[]> {
  const folder = path.dirname(path.resolve(cluster.at.file));
  const known = cluster.backups?.places ?? [];
  const open = async (place: BackupPlace): Promise<Place> =>
    "folder" in place
      ? folderPlace(path.resolve(folder, place.folder.replace(/^~(?=\/)/, os.homedir())))
      : s3Place(await world.openS3(place.s3, folder), place.s3.bucket, place.s3.prefix);
  if (to === undefined) return Promise.all(known.map(open));
  const [, bucket, prefix = ""] = /^s3:\/\/([^/]+)\/?(.*?)\/?$/.exec(to) ?? [];
  if (bucket === undefined) return [folderPlace(path.resolve(to))];
  const found = known.flatMap((place) => ("s3" in place && place.s3.bucket === bucket ? [place.s3] : []))[0];
  if (!found) throw bucketUnknown({ bucket });
  return [await open({ s3: { ...found, prefix } })];
}

export function folderPlace(folder: string): Place {
  const fileOf = (name: string): string => path.join(folder, name);
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof Error && "syscall" in cause) throw placeRefused({ place: folder, cause });
      throw cause;
    }
  };
  const names = (): Promise<string[]> =>
    fs.readdir(folder).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code === "ENOENT") return [];
      throw thrown;
    });
  return {
    name: folder,
    folder,
    write: (name, archive) =>
      guarded(async () => {
        if (!(await archive.keepAs(fileOf(name)))) await replaceFile(fileOf(name), archive.bytes());
      }),
    list: (cluster) =>
      guarded(async () => {
        const own = (await names()).filter((name) => isBackupName(cluster, name)).toSorted();
        return Promise.all(
          own.map(async (name) => ({ name, sizeBytes: (await fs.stat(fileOf(name))).size })),
        );
      }),
    source: (name) => fileSource(fileOf(name)),
    remove: (name) => guarded(() => removeFiles([fileOf(name)])),
    tidy: (cluster, before) =>
      guarded(async () => {
        for (const name of await names()) {
          if (!isDraft(name) || !isBackupName(cluster, name.replace(/\.[0-9a-f]{12}\.draft$/, ""))) continue;
          if ((await fs.stat(fileOf(name))).mtimeMs < before) await removeFiles([fileOf(name)]);
        }
      }),
  };
}

export function s3Place(client: S3Client, bucket: string, prefix: string): Place {
  const keyOf = (name: string): string => (prefix === "" ? name : `${prefix}/${name}`);
  return {
    name: `s3://${bucket}${prefix === "" ? "" : `/${prefix}`}`,
    write: (name, archive, signal) => client.upload(keyOf(name), archive.bytes(), () => undefined, signal),
    async list(cluster, signal) {
      const found = await client.list(keyOf(`${cluster}-`), signal);
      return found
        .map(({ key, sizeBytes }) => ({ name: key.slice(keyOf("").length), sizeBytes }))
        .filter(({ name }) => isBackupName(cluster, name));
    },
    source: (name, signal) => ({
      name: `s3://${bucket}/${keyOf(name)}`,
      read: () => client.read(keyOf(name), signal),
    }),
    remove: (name, signal) => client.remove(keyOf(name), signal),
    tidy: (cluster, before, signal) => client.abandon(keyOf(`${cluster}-`), before, signal),
  };
}
