import fs from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { addons as allAddons } from "../../addons/index.ts";
import {
  parseFleet,
  type Cluster,
  type Fleet,
  type ParseOptions,
  type ParsedFleet,
  type SourceFile,
} from "../../spec/index.ts";
import { fileTooLarge, noFile } from "../errors.ts";
import { withGuestFiles } from "./guest-files.ts";
import { moduleBroken, moduleWithoutFleet, typesNotStripped } from "./errors.ts";
import { fileDigest } from "../../images/index.ts";
import { memoize } from "../../lib/index.ts";

/** Reads a cluster file, YAML or a program, or every `.yaml` file of a folder as one fleet. */
export async function readSources(file: string): Promise<SourceFile[]> {
  const stat = await fs.stat(file).catch(() => {
    throw noFile(file);
  });
  if (!stat.isDirectory()) {
    const text = await readSmall(file);
    return [isModule(file) ? { file, text, data: await importFleet(file) } : { file, text }];
  }
  const names = (await fs.readdir(file)).filter((name) => /\.ya?ml$/.test(name)).toSorted();
  if (names.length === 0) throw noFile(path.join(file, "*.yaml"));
  return Promise.all(
    names.map(async (name) => {
      const inner = path.join(file, name);
      return { file: inner, text: await readSmall(inner) };
    }),
  );
}

/** A thousand machines need a tenth of it. What is larger is something else, and would take minutes to be refused. */
const largestBytes = 2 * 1024 * 1024;

async function readSmall(file: string): Promise<string> {
  const handle = await fs.open(file);
  try {
    // Pipes and devices do not say how much they hold.
    const parts: Buffer[] = [];
    for (let bytes = 0; ;) {
      const { bytesRead, buffer } = await handle.read({ buffer: Buffer.alloc(65_536) });
      if (bytesRead === 0) return Buffer.concat(parts).toString("utf8");
      bytes += bytesRead;
      if (bytes > largestBytes) throw fileTooLarge(file, largestBytes);
      parts.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}

export type LoadedFleet = ParsedFleet & { sources: SourceFile[] };

/** Reads and checks a fleet: the model, or every problem at once. */
export async function loadFleet(file: string, known: Known = {}): Promise<LoadedFleet> {
  return checkSources(await readSources(file), file, known);
}

/** The same for what a program holds in its hands. Paths in it are relative to `file`, which need not exist. */
export async function loadFleetData(data: unknown, file: string, known: Known = {}): Promise<LoadedFleet> {
  return checkSources([{ file, text: "", data: data ?? null }], file, known);
}

/** The same for the text of a file that is not written yet. */
export const loadFleetText = (text: string, file: string): Promise<LoadedFleet> =>
  checkSources([{ file, text }], file, {});

async function checkSources(sources: SourceFile[], file: string, known: Known): Promise<LoadedFleet> {
  const parsed = await parseSources(sources, file, known);
  if ("problems" in parsed) return { ...parsed, sources };
  return { ...parsed, fleet: await withGuestFiles(await withImageChecksums(parsed.fleet)), sources };
}

/** Add-ons and distributions that a file may name; left out: all of this version. */
type Known = Pick<ParseOptions, "addons" | "distributions">;

/** Only a file that seems wrong may need more than what is built in, and to load all distributions takes longer than to read it. */
async function parseSources(sources: SourceFile[], name: string, known: Known): Promise<ParsedFleet> {
  const options: ParseOptions = { addons: allAddons, ...known, name };
  const parsed = parseFleet(sources, options);
  if (known.distributions || "fleet" in parsed) return parsed;
  const { distributions } = await import("../../distros/index.ts");
  return distributions.some((each) => each.options)
    ? parseFleet(sources, { ...options, distributions })
    : parsed;
}

/** Whether a cluster file is a program rather than YAML. */
const isModule = (file: string): boolean => /\.[cm]?[jt]s$/.test(file);

/** Runs a cluster file that is a program: what it exports by default, or the promise of it. */
async function importFleet(file: string): Promise<unknown> {
  const url = pathToFileURL(path.resolve(file));
  // Node keeps modules; a file that was changed is another one.
  url.search = String((await fs.stat(file)).mtimeMs);
  const module = await loadModule(file, url.href);
  const made: unknown = await module.default;
  if (typeof made !== "object" || made === null) throw moduleWithoutFleet(file);
  return made;
}

async function loadModule(file: string, url: string): Promise<{ default?: unknown }> {
  try {
    return (await import(url)) as { default?: unknown };
  } catch (thrown) {
    const isUnknown = (thrown as NodeJS.ErrnoException).code === "ERR_UNKNOWN_FILE_EXTENSION";
    throw isUnknown ? typesNotStripped(file, thrown) : moduleBroken(file, thrown);
  }
}

/**
 * An image file is kept under a name made from its content, so a file the user gave no checksum for gets one here.
 * A file that is not there stays without: the preflight says so, and a removal needs it no more.
 */
export async function withImageChecksums(fleet: Fleet): Promise<Fleet> {
  const digestOf = memoize((file) => fileDigest(file, "sha256").catch(() => undefined));
  const complete = async (cluster: Cluster): Promise<Cluster> => {
    const { image } = cluster.distribution;
    if (!image || !("file" in image) || image.checksum) return cluster;
    const value = await digestOf(path.resolve(path.dirname(cluster.at.file), image.file));
    if (value === undefined) return cluster;
    return {
      ...cluster,
      distribution: { ...cluster.distribution, image: { ...image, checksum: sha256(value) } },
    };
  };
  return { ...fleet, clusters: await Promise.all(fleet.clusters.map(complete)) };
}

const sha256 = (value: string) => ({ algorithm: "sha256" as const, value });
