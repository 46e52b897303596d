import fs from "node:fs/promises";
import path from "node:path";
import { parseFleet, type ParsedFleet, type SourceFile } from "../spec/index.ts";
import { fileTooLarge, noFile } from "./errors.ts";
import { withGuestFiles } from "./guest-files.ts";
import { withImageChecksums } from "./image-checksums.ts";

/** Reads a cluster file, or every `.yaml` file of a folder as one fleet. */
export async function readSources(file: string): Promise<SourceFile[]> {
  const stat = await fs.stat(file).catch(() => {
    throw noFile(file);
  });
  if (!stat.isDirectory()) return [{ file, text: await readSmall(file) }];
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

/** Reads and checks a fleet: the model, or every problem at once. */
export async function loadFleet(file: string): Promise<ParsedFleet & { sources: SourceFile[] }> {
  const sources = await readSources(file);
  const parsed = parseFleet(sources, file);
  if ("problems" in parsed) return { ...parsed, sources };
  return { ...parsed, fleet: await withGuestFiles(await withImageChecksums(parsed.fleet)), sources };
}
