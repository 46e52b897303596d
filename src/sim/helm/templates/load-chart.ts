import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { parse } from "yaml";
import { readTar } from "../../../lib/index.ts";

/** A chart as it was read from a folder or an archive. */
export interface LoadedChart {
  metadata: {
    name: string;
    version: string;
    appVersion?: string;
    kubeVersion?: string;
    [field: string]: unknown;
  };
  values: Record<string, unknown>;
  /** By path within the chart. */
  templates: [file: string, text: string][];
  crds: [file: string, text: string][];
}

export async function loadChart(place: string): Promise<LoadedChart> {
  const files = (await stat(place)).isDirectory()
    ? await readFolder(place)
    : readArchive(await readFile(place));
  const below = (folder: string) =>
    [...files].filter(([file]) => file.startsWith(`${folder}/`)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const yaml = (file: string) =>
    (parse(files.get(file) ?? "", { version: "1.1" }) ?? {}) as Record<string, unknown>;
  return {
    metadata: yaml("Chart.yaml") as LoadedChart["metadata"],
    values: yaml("values.yaml"),
    templates: below("templates").filter(([file]) => file.endsWith(".yaml")),
    crds: below("crds"),
  };
}

function readArchive(bytes: Buffer): Map<string, string> {
  const files = [...readTar(gunzipSync(bytes))];
  return new Map(
    files.map(({ name, bytes: content }) => [name.replace(/^[^/]+\//, ""), content.toString("utf8")]),
  );
}

async function readFolder(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.map(async (file): Promise<[string, string]> => [
      path.relative(folder, file),
      await readFile(file, "utf8"),
    ]),
  );
  return new Map(texts);
}
