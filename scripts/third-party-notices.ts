import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "rolldown";
import { bundledPackages, type BundledPackage } from "./bundled-packages.ts";

/** Writes the licences of all packages whose code went into the bundle beside it, as those licences ask. */
export function thirdPartyNotices(fileName: string): Plugin {
  return {
    name: "third-party-notices",
    generateBundle() {
      const source = bundledPackages(this.getModuleIds())
        .map(describePackage)
        .join(`\n\n${"-".repeat(80)}\n\n`);
      this.emitFile({ type: "asset", fileName, source: `${source}\n` });
    },
  };
}

function describePackage(found: BundledPackage): string {
  const { folder, name, version, license } = found;
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying|copyright)/i.test(file));
  const hasLicence = files.some((file) => !/^notice/i.test(file));
  return [
    `${name} ${version} (${license ?? "licence in its text"})`,
    ...files.toSorted().map((file) => readFileSync(join(folder, file), "utf8").trim()),
    ...(hasLicence ? [] : usualTexts(found)),
  ].join("\n\n");
}

const root = join(import.meta.dirname, "..");

/** Slipway's own licence is one of them. */
const texts: Record<string, string> = {
  "Apache-2.0": join(root, "LICENSE"),
  MIT: join(root, "scripts/licences/MIT.txt"),
  "BSD-3-Clause": join(root, "scripts/licences/BSD-3-Clause.txt"),
};

/** Where the package itself does not say it in a file of its own. */
const holders: Record<string, string> = { "@bufbuild/protobuf": "2008 Google Inc." };

/** Some packages name their licence and leave its text out; whoever passes them on must not. */
function usualTexts({ name, license = "" }: BundledPackage): string[] {
  const ids = license.split(/[()\s]+/).filter((id) => !["", "AND", "OR"].includes(id));
  const files = ids.flatMap((id) => texts[id] ?? []);
  if (ids.length === 0 || files.length !== ids.length)
    throw new Error(`${name} comes without the text of its licence "${license}": add it to scripts/licences`);
  const holder = holders[name] ?? `the authors of ${name}`;
  return files.map((file) => readFileSync(file, "utf8").trim().replace("HOLDER", holder));
}
