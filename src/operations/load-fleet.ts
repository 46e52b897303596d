import fs from "node:fs/promises";
import path from "node:path";
import { parseFleet, type ParsedFleet, type SourceFile } from "../spec/index.ts";
import { noFile } from "./errors.ts";
import { withGuestFiles } from "./guest-files.ts";
import { withImageChecksums } from "./image-checksums.ts";

/** Reads a cluster file, or every `.yaml` file of a folder as one fleet. */
export async function readSources(file: string): Promise<SourceFile[]> {
  const stat = await fs.stat(file).catch(() => {
    throw noFile(file);
  });
  if (!stat.isDirectory()) return [{ file, text: await fs.readFile(file, "utf8") }];
  const names = (await fs.readdir(file)).filter((name) => /\.ya?ml$/.test(name)).toSorted();
  if (names.length === 0) throw noFile(path.join(file, "*.yaml"));
  return Promise.all(
    names.map(async (name) => {
      const inner = path.join(file, name);
      return { file: inner, text: await fs.readFile(inner, "utf8") };
    }),
  );
}

/** Reads and checks a fleet: the model, or every problem at once. */
export async function loadFleet(file: string): Promise<ParsedFleet & { sources: SourceFile[] }> {
  const sources = await readSources(file);
  const parsed = parseFleet(sources, file);
  if ("problems" in parsed) return { ...parsed, sources };
  return { ...parsed, fleet: await withGuestFiles(await withImageChecksums(parsed.fleet)), sources };
}
