import path from "node:path";
import type { LocalImage } from "../../images/index.ts";

/** What the cluster file names stands relative to it. */
export function besideFile(local: LocalImage, clusterFile: string): LocalImage {
  const base = path.dirname(clusterFile);
  return "file" in local
    ? { file: path.resolve(base, local.file) }
    : { ...local, folder: path.resolve(base, local.folder) };
}
