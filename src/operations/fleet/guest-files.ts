import { readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { hasGuests, type Cluster, type Fleet, type GuestSystem } from "../../spec/index.ts";
import { guestFileUnreadable, notPublicKeys } from "../errors.ts";

/** Files that the machines are to have, read into the fleet. One that is not there stays named: a removal needs it no more. */
export async function withGuestFiles(fleet: Fleet): Promise<Fleet> {
  const complete = async (cluster: Cluster): Promise<Cluster> => {
    if (!hasGuests(cluster)) return cluster;
    const { keys, files } = cluster.distribution;
    const folder = path.dirname(cluster.at.file);
    const read: Pick<GuestSystem, "keys" | "files"> = {
      keys: (await Promise.all(keys.map((key) => readKeys(key, folder)))).flat(),
      files: await Promise.all(files.map((file) => readContent(file, folder))),
    };
    return { ...cluster, distribution: { ...cluster.distribution, ...read } };
  };
  return { ...fleet, clusters: await Promise.all(fleet.clusters.map(complete)) };
}

/** Before machines are made, everything they are to have must be at hand. */
export function demandGuestFiles(clusters: Cluster[]): void {
  for (const { distribution } of clusters.filter(hasGuests)) {
    const missing = [...distribution.keys, ...distribution.files].find((each) => "file" in each);
    if (missing && "file" in missing) throw guestFileUnreadable(missing);
  }
}

async function readKeys(key: GuestSystem["keys"][number], folder: string): Promise<GuestSystem["keys"]> {
  if ("text" in key) return [key];
  const text = await readBeside(key.file, folder);
  if (text === undefined) return [key];
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const isKey = (line: string): boolean => /^[a-z0-9@.-]+ [A-Za-z0-9+/=]{20,}/.test(line);
  if (lines.length === 0 || !lines.every(isKey)) throw notPublicKeys(key);
  return lines.map((line) => ({ text: line.trim() }));
}

async function readContent(
  file: GuestSystem["files"][number],
  folder: string,
): Promise<GuestSystem["files"][number]> {
  if ("content" in file) return file;
  const content = await readBeside(file.file, folder);
  const { path: place, mode } = file;
  return content === undefined ? file : { path: place, content, mode };
}

const readBeside = (file: string, folder: string): Promise<string | undefined> =>
  readFile(path.resolve(folder, file.replace(/^~(?=\/)/, os.homedir())), "utf8").catch(() => undefined);
