import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "rolldown";

interface PackageFile {
  name: string;
  version: string;
  license?: string;
}

/** The folder of the package a bundled module came from; nothing for our own modules. */
function packageFolder(moduleId: string): string | undefined {
  if (!moduleId.includes("/node_modules/")) return undefined;
  let folder = dirname(moduleId);
  while (!isPackage(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

/** Packages mark their subfolders with a nameless package.json that says only `"type": "module"`. */
const isPackage = (path: string): boolean => existsSync(path) && readPackage(path).name !== undefined;

const readPackage = (path: string): PackageFile => JSON.parse(readFileSync(path, "utf8")) as PackageFile;

function describePackage(folder: string): string {
  const { name, version, license } = readPackage(join(folder, "package.json"));
  const texts = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying|copyright)/i.test(file));
  return [
    `${name} ${version} (${license ?? "licence in its text"})`,
    ...texts.toSorted().map((file) => readFileSync(join(folder, file), "utf8").trim()),
  ].join("\n\n");
}

/** Writes the licences of all packages whose code went into the bundle beside it, as those licences ask. */
export function thirdPartyNotices(fileName: string): Plugin {
  return {
    name: "third-party-notices",
    generateBundle() {
      const folders = new Set(
        [...this.getModuleIds()].map(packageFolder).filter((folder) => folder !== undefined),
      );
      const source = [...folders]
        .toSorted()
        .map(describePackage)
        .join(`\n\n${"-".repeat(80)}\n\n`);
      this.emitFile({ type: "asset", fileName, source: `${source}\n` });
    },
  };
}
