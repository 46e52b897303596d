import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A package whose code went into the bundle. */
export interface BundledPackage {
  folder: string;
  name: string;
  version: string;
  license?: string;
}

/** Sorted by where they lie; each once. */
export function bundledPackages(moduleIds: Iterable<string>): BundledPackage[] {
  const folders = new Set([...moduleIds].map(packageFolder).filter((folder) => folder !== undefined));
  return [...folders].toSorted().map((folder) => ({ ...readPackage(join(folder, "package.json")), folder }));
}

/** The folder of the package a bundled module came from; nothing for our own modules. */
function packageFolder(moduleId: string): string | undefined {
  if (!moduleId.includes("/node_modules/")) return undefined;
  let folder = dirname(moduleId);
  while (!isPackage(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

/** Packages mark their subfolders with a package.json of no version: `"type": "module"` alone, or where its parts are. */
const isPackage = (path: string): boolean => existsSync(path) && readPackage(path).version !== undefined;

function readPackage(path: string): Omit<BundledPackage, "folder"> {
  const { name, version, license } = JSON.parse(readFileSync(path, "utf8")) as BundledPackage;
  return { name, version, ...(license !== undefined && { license }) };
}
