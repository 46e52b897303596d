import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parse } from "yaml";
import { filePart, partOf, type BackupPart } from "../../backups/index.ts";
import type { SourceFile } from "../../spec/index.ts";

/** The cluster file and what it refers to, as parts of a backup. */
export interface ReferredFiles {
  parts: BackupPart[];
  files: { path: string; member: string }[];
  /** What no archive can hold, in words. */
  needs: string[];
  /** Named, and not there. */
  missing: { path: string; from: string }[];
}

/** Fields of the file that name something on this machine. Keys of people stay with them. */
const fileFields = new Set(["file", "age", "ca", "folder", "knownHosts", "valuesFiles"]);
/** Images come from elsewhere again; with them each backup would be many times as large. */
const mostBytes = 64 * 1024 ** 2;
const mostFiles = 2_000;

/** Everything a cluster file is made of, with the paths that it has beside it. */
export async function referredFiles(sources: SourceFile[]): Promise<ReferredFiles> {
  const found: ReferredFiles = { parts: [], files: [], needs: [], missing: [] };
  const taken = new Map<string, string>();
  for (const { file, text, data } of sources) {
    const folder = path.dirname(path.resolve(file));
    found.parts.push(partOf(`file/${path.basename(file)}`, text));
    taken.set(path.resolve(file), `file/${path.basename(file)}`);
    const named = namesIn(data ?? parse(text));
    found.needs.push(...named.needs);
    for (const written of new Set(named.paths)) await take(found, taken, { written, folder, from: file });
  }
  return { ...found, needs: [...new Set(found.needs)].toSorted() };
}

async function take(
  found: ReferredFiles,
  taken: Map<string, string>,
  { written, folder, from }: { written: string; folder: string; from: string },
): Promise<void> {
  const whole = path.resolve(folder, written.replace(/^~(?=\/)/, os.homedir()));
  const all = await filesAt(whole);
  if (!all) found.missing.push({ path: written, from });
  for (const { file, sizeBytes } of all ?? []) {
    const shown = file === whole ? written : path.join(written, path.relative(whole, file));
    if (sizeBytes > mostBytes || taken.size >= mostFiles) {
      found.needs.push(`${shown} (${Math.ceil(sizeBytes / 1024 ** 2)} MiB)`);
      continue;
    }
    const member = taken.get(file) ?? memberName(path.relative(folder, file), taken.size);
    if (!taken.has(file)) found.parts.push(await filePart(member, file));
    taken.set(file, member);
    found.files.push({ path: shown, member });
  }
}

/** Below the folder of the cluster file it keeps its path; elsewhere, or with a name tar may not hold, it gets a number. */
function memberName(relative: string, number: number): string {
  const parts = relative.split(path.sep);
  const isPlain =
    /^[\x20-\x5b\x5d-\x7e]{1,90}$/.test(relative) && !path.isAbsolute(relative) && !parts.includes("..");
  if (isPlain) return `file/${parts.join("/")}`;
  const name = path.basename(relative);
  return `outside/${number}/${/^[\w.-]{1,60}$/.test(name) ? name : "file"}`;
}

/** The file, or all files of a folder; undefined when there is neither. */
async function filesAt(whole: string): Promise<{ file: string; sizeBytes: number }[] | undefined> {
  const stat = await fs.stat(whole).catch(() => undefined);
  if (!stat) return undefined;
  if (stat.isFile()) return [{ file: whole, sizeBytes: stat.size }];
  if (!stat.isDirectory()) return [];
  const inner = await fs.readdir(whole, { recursive: true, withFileTypes: true });
  const files = inner
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  return Promise.all(files.toSorted().map(async (file) => ({ file, sizeBytes: (await fs.stat(file)).size })));
}

interface Named {
  paths: string[];
  needs: string[];
}

/** What a value of the file names, wherever it stands in it. */
function namesIn(value: unknown): Named {
  const found: Named = { paths: [], needs: [] };
  const walk = (each: unknown, key: string, isChart: boolean): void => {
    if (Array.isArray(each)) for (const item of each) walk(item, key, isChart);
    else if (typeof each === "object" && each !== null)
      for (const [name, inner] of Object.entries(each)) walk(inner, name, key === "chart");
    else if (typeof each === "string") note(found, each, key, isChart);
  };
  walk(withoutInline(value), "", false);
  return found;
}

function note(found: Named, text: string, key: string, isChart: boolean): void {
  if (key === "env") found.needs.push(`$${text}`);
  else if (key === "keyFile") found.needs.push(text);
  else if (fileFields.has(key) || (key === "path" && isChart) || (key === "keys" && !text.includes(" ")))
    found.paths.push(text);
}

/** Values of charts, patches and manifests are others' languages: a `file` in them is none of ours. Commands are told by name. */
function withoutInline(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutInline);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
      if (["values", "inlineManifests", "backups", "labels", "annotations"].includes(key)) return [];
      if (key === "patches" && Array.isArray(inner)) return [[key, inner.filter(isFileOnly)]];
      if (key === "command" && Array.isArray(inner)) return [["env", `(${String(inner[0])} …)`]];
      return [[key, withoutInline(inner)]];
    }),
  );
}

const isFileOnly = (patch: unknown): boolean =>
  typeof patch === "object" && patch !== null && Object.keys(patch).join() === "file";
