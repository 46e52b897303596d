import { readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Plugin } from "rolldown";
import { bundledPackages, type BundledPackage } from "./bundled-packages.ts";

const root = join(import.meta.dirname, "..");

interface LockFile {
  packages: Record<string, { version?: string; integrity?: string; resolved?: string }>;
}

/** Writes beside the bundle what is in it, for programs that look for known holes: a CycloneDX document. */
export function sbom(fileName: string): Plugin {
  return {
    name: "sbom",
    generateBundle() {
      const source = `${JSON.stringify(describeBundle(bundledPackages(this.getModuleIds())), null, 2)}\n`;
      this.emitFile({ type: "asset", fileName, source });
    },
  };
}

/** The same for the same lock file: it carries neither a time nor a number of its own. */
function describeBundle(bundled: BundledPackage[]) {
  const own = readJson("package.json") as { name: string; version: string; license: string };
  const lock = readJson("package-lock.json") as LockFile;
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      lifecycles: [{ phase: "build" }],
      component: { type: "application", "bom-ref": purlOf(own), purl: purlOf(own), ...namesOf(own) },
    },
    components: bundled.map((each) => ({
      type: "library",
      "bom-ref": `${purlOf(each)}#${placeOf(each)}`,
      purl: purlOf(each),
      ...namesOf(each),
      hashes: hashesOf(each, lock),
    })),
  };
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(join(root, file), "utf8"));

const purlOf = ({ name, version }: { name: string; version: string }): string =>
  `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;

/** As the lock file names it: two versions of a package may be bundled. */
const placeOf = ({ folder }: BundledPackage): string => relative(root, folder).split(sep).join("/");

function namesOf({ name, version, license }: { name: string; version: string; license?: string }) {
  const expression = license?.replace(/^\((.*)\)$/, "$1");
  const licences =
    expression === undefined
      ? []
      : /\s/.test(expression)
        ? [{ expression }]
        : [{ license: { id: expression } }];
  return { name, version, licenses: licences };
}

/** What npm checked the package against when it was installed. */
function hashesOf(found: BundledPackage, lock: LockFile): { alg: string; content: string }[] {
  const locked = lock.packages[placeOf(found)];
  const [, digest] = /^sha512-(\S+)$/.exec(locked?.integrity ?? "") ?? [];
  if (locked?.version !== found.version || digest === undefined)
    throw new Error(`${found.name} ${found.version} is bundled, and the lock file knows another: run npm ci`);
  return [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }];
}
