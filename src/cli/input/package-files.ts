import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { getAsset, isSea } from "node:sea";

/** What of the package is not code, by its name there: in its folder, or inside the single executable. */
export const readPackageFile = async (name: string): Promise<string> =>
  isSea() ? getAsset(name, "utf8") : readFile(path.join(packageRoot(), name), "utf8");

/** The names of the files in a folder of the package. */
export async function listPackageFiles(folder: string): Promise<string[]> {
  if (!isSea()) return readdir(path.join(packageRoot(), folder));
  const names = JSON.parse(getAsset("contents.json", "utf8")) as string[];
  return names.filter((name) => path.posix.dirname(name) === folder).map((name) => path.posix.basename(name));
}

/** The folder Slipway is installed in, found from wherever the bundler put this file. */
function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, "package.json"))) folder = path.dirname(folder);
  return folder;
}

/** Whether all of Slipway is one file that also holds Node. */
export const isExecutable = (): boolean => isSea();
