import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Cluster } from "../../../spec/index.ts";
import { patchFileMissing } from "../errors.ts";
import type { PatchFiles } from "./intent-for.ts";

/** Reads all patch files a cluster names, once each; paths are relative to the folder of the cluster file. */
export async function readPatchFiles(cluster: Cluster, folder: string): Promise<PatchFiles> {
  const patches = [...cluster.patches, ...cluster.nodes.flatMap((node) => node.patches)];
  const texts = new Map<string, Promise<string>>();
  for (const patch of patches) {
    if (!("file" in patch) || texts.has(patch.file)) continue;
    const text = readFile(path.resolve(folder, patch.file), "utf8").catch((error: unknown) => {
      throw patchFileMissing({ file: patch.file, at: patch.at, cause: error });
    });
    texts.set(patch.file, text);
  }
  return new Map(await Promise.all([...texts].map(async ([file, text]) => [file, await text] as const)));
}
