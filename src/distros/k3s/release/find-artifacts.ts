import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import type { Architecture, K3sArtifacts } from "../../../spec/index.ts";
import { artifactMissing, checksumMissing, checksumWrong } from "./errors.ts";
import { artifactNames, artifactUrl, checksumIn } from "./release.ts";

/** What finding artifacts needs of the world. */
export interface ArtifactWorld {
  /** Where files fetched once are kept. */
  cacheFolder: string;
  fetchFile(url: string, into: string, onProgress?: OnProgress): Promise<void>;
}

type OnProgress = (bytes: number, total?: number) => void;

export interface WantedArtifacts {
  version: string;
  architecture: Architecture;
  /** Absent: where its makers publish them. A folder is an absolute path. */
  artifacts?: K3sArtifacts | undefined;
  /** The images it starts with, too. */
  hasImages?: boolean | undefined;
  onProgress?: ((name: string, bytes: number, total?: number) => void) | undefined;
}

/** A file on this machine whose content is known to be right. */
export interface LocalArtifact {
  /** As the release calls it. */
  name: string;
  file: string;
  sha256: string;
  bytes: number;
}

export interface FoundArtifacts {
  binary: LocalArtifact;
  images?: LocalArtifact | undefined;
}

const running = new WeakMap<ArtifactWorld, Map<string, Promise<unknown>>>();

/** Finds the files of a release, each verified by its checksum; fetched once, also where many ask at the same time. */
export async function findArtifacts(wanted: WantedArtifacts, world: ArtifactWorld): Promise<FoundArtifacts> {
  const names = artifactNames(wanted.architecture);
  const source = sourceOf(wanted, world);
  const sums = await once(world, source.fileOf(names.checksums), () => source.readSums(names.checksums));
  const find = (name: string) =>
    once(world, source.fileOf(name), () => source.find(name, sumOf(sums, name, wanted, names.checksums)));
  const [binary, images] = await Promise.all([
    find(names.binary),
    wanted.hasImages ? find(names.images) : undefined,
  ]);
  return { binary, images };
}

/** Whether a release can be had, before it is needed: of files to be fetched only the sums, of a folder all. */
export async function tryArtifacts(wanted: WantedArtifacts, world: ArtifactWorld): Promise<void> {
  const names = artifactNames(wanted.architecture);
  const source = sourceOf(wanted, world);
  const sums = await once(world, source.fileOf(names.checksums), () => source.readSums(names.checksums));
  const all = [names.binary, ...(wanted.hasImages ? [names.images] : [])];
  for (const name of all) sumOf(sums, name, wanted, names.checksums);
  if (wanted.artifacts && "folder" in wanted.artifacts) await findArtifacts(wanted, world);
}

/** One place files come from. */
interface Source {
  fileOf(name: string): string;
  readSums(name: string): Promise<string>;
  find(name: string, sha256: string): Promise<LocalArtifact>;
}

const sourceOf = (wanted: WantedArtifacts, world: ArtifactWorld): Source =>
  wanted.artifacts && "folder" in wanted.artifacts
    ? folderSource(wanted.artifacts.folder, wanted.version)
    : cachedSource(wanted, world, wanted.artifacts?.url);

/** Brought along by the user: what is not there cannot be had. */
function folderSource(folder: string, version: string): Source {
  const fileOf = (name: string) => path.join(folder, name);
  return {
    fileOf,
    readSums: (name) =>
      readFile(fileOf(name), "utf8").catch((cause: unknown) => {
        throw artifactMissing({ folder, name, version, cause });
      }),
    async find(name, sha256) {
      const file = fileOf(name);
      const found = await hashOf(file);
      if (found === undefined) throw artifactMissing({ folder, name, version });
      if (found.sha256 !== sha256) throw checksumWrong({ name, file, wanted: sha256, found: found.sha256 });
      return { name, file, ...found };
    },
  };
}

/** Fetched into the cache, unless it lies there already and is whole. */
function cachedSource(wanted: WantedArtifacts, world: ArtifactWorld, mirror: string | undefined): Source {
  const folder = path.join(world.cacheFolder, "k3s", wanted.version);
  const fileOf = (name: string) => path.join(folder, name);
  const fetch = (name: string) => {
    const { onProgress } = wanted;
    const told: OnProgress | undefined = onProgress && ((bytes, total) => onProgress(name, bytes, total));
    return world.fetchFile(artifactUrl(wanted.version, name, mirror), fileOf(name), told);
  };
  return {
    fileOf,
    async readSums(name) {
      const kept = await readFile(fileOf(name), "utf8").catch(() => undefined);
      if (kept !== undefined) return kept;
      await fetch(name);
      return readFile(fileOf(name), "utf8");
    },
    async find(name, sha256) {
      const file = fileOf(name);
      const kept = await hashOf(file);
      if (kept?.sha256 === sha256) return { name, file, ...kept };
      await fetch(name);
      const found = await hashOf(file);
      if (found?.sha256 === sha256) return { name, file, ...found };
      // Neither it nor the sums may stay: one of them is wrong, and the next run has to ask for both again.
      await Promise.all([file, fileOf(artifactNames(wanted.architecture).checksums)].map((each) => rm(each)));
      const url = artifactUrl(wanted.version, name, mirror);
      throw checksumWrong({ name, file: url, wanted: sha256, found: found?.sha256 ?? "nothing" });
    },
  };
}

function sumOf(text: string, name: string, { version }: WantedArtifacts, file: string): string {
  const sum = checksumIn(text, name);
  if (sum === undefined) throw checksumMissing({ name, file, version });
  return sum;
}

async function hashOf(file: string): Promise<{ sha256: string; bytes: number } | undefined> {
  const known = await stat(file).catch(() => undefined);
  if (!known?.isFile()) return undefined;
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return { sha256: hash.digest("hex"), bytes: known.size };
}

/** The same work asked for twice at a time is done once. Failures are not kept. */
function once<T>(world: ArtifactWorld, key: string, work: () => Promise<T>): Promise<T> {
  const known = running.get(world) ?? new Map<string, Promise<unknown>>();
  running.set(world, known);
  const current = known.get(key) ?? work();
  known.set(key, current);
  current.catch(() => known.delete(key));
  return current as Promise<T>;
}
