import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { entries } from "../../scripts/entries.ts";
import { missingPackages, type Lockfile } from "../../scripts/missing-packages.ts";
import { expectGolden } from "../support/golden.ts";
import { addNodeTypes, compileIn, packPackage } from "../support/packed-package.ts";

const root = resolve(import.meta.dirname, "../..");
let folder = "";
let installed = "";
let packed: string[] = [];

beforeAll(() => {
  ({ folder, installed, files: packed } = packPackage());
});

afterAll(() => rmSync(folder, { recursive: true }));

test("the package holds the program, the library and nothing else", () => {
  expect(packed).toEqual(
    expect.arrayContaining([
      "bin/slipway.js",
      "dist/cli/program.js",
      "dist/index.js",
      "dist/index.d.ts",
      "LICENSE",
    ]),
  );
  const known =
    /^(LICENSE|README\.md|package\.json|bin\/slipway\.js|examples\/.+|dist\/(.+\.js|build\.json|share\/.+|dashboard\/app\.css|.+\.d\.ts|(?:dashboard\/)?(?:THIRD-PARTY\.txt|sbom\.cdx\.json)))$/;
  expect(packed.filter((path) => !known.test(path) || path.includes(".test."))).toEqual([]);
});

test("the package asks for no other package", () => {
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as object;
  const lists = Object.keys(manifest).filter((key) => /dependencies$/i.test(key));
  expect(lists).toEqual(["devDependencies"]);
});

test("the installed program and library start with no other package there", () => {
  const run = (...args: string[]): string =>
    execFileSync(process.execPath, args, {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
  expect(
    run("--input-type=module", "--eval", 'console.log(typeof (await import("slipway")).SlipwayError)'),
  ).toBe("function\n");
  expect(run(join(installed, "bin/slipway.js"), "--help")).toContain("slipway");
});

test("package.json lists every entry with its types, and nothing else is shipped of either", () => {
  const { exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    exports: Record<string, unknown>;
  };
  const names = Object.keys(entries);
  const listed = names.map((name) => [
    name === "index" ? "." : `./${name}`,
    { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
  ]);
  expect(exports).toEqual({ ...Object.fromEntries(listed), "./package.json": "./package.json" });
  expect(packed.filter((path) => path.endsWith(".d.ts")).toSorted()).toEqual(
    names.map((name) => `dist/${name}.d.ts`).toSorted(),
  );
});

/** What a file of declarations exports: each where it is declared, or in the last line. Values come first. */
function exportedNames(text: string): { values: string[]; types: string[] } {
  const own = [...text.matchAll(/^export (?:declare )?(\w+) (\w+)/gm)].map(([, kind = "", name = ""]) => ({
    name,
    isType: kind === "interface" || kind === "type",
  }));
  const [, list = ""] = /^export \{(.*)\};$/m.exec(text) ?? [];
  // All that is not exported where it stands is a type.
  const others = list.split(",").flatMap((each) => each.trim().split(" ").at(-1) || []);
  return {
    values: own.flatMap(({ name, isType }) => (isType ? [] : [name])).toSorted(),
    types: [...own.flatMap(({ name, isType }) => (isType ? [name] : [])), ...others].toSorted(),
  };
}

const placeOf = (entry: string): string => (entry === "index" ? "slipway" : `slipway/${entry}`);

test("the public names are the ones that were agreed on, and the values among them are there", async () => {
  const lists: string[] = [];
  for (const entry of Object.keys(entries)) {
    const { values, types } = exportedNames(readFileSync(join(installed, `dist/${entry}.d.ts`), "utf8"));
    const loaded = (await import(pathToFileURL(join(installed, `dist/${entry}.js`)).href)) as object;
    expect(Object.keys(loaded).toSorted(), entry).toEqual(values);
    const lines = [...values, ...types.map((name) => `type ${name}`)].map((line) => `  ${line}\n`);
    lists.push(`${placeOf(entry)}\n${lines.join("")}`);
  }
  expectGolden(lists.join("\n"), import.meta.dirname, "testdata/public-names.txt");
});

test("code that uses every entry compiles strictly, declarations included, with Node's types alone", () => {
  addNodeTypes(folder);
  const imports = Object.keys(entries).map((entry, i) => {
    return `import * as entry${i} from "${placeOf(entry)}";\nexport type Error${i} = InstanceType<typeof entry${i}.SlipwayError>;\n`;
  });
  writeFileSync(join(folder, "use.ts"), imports.join(""));
  expect(() => compileIn(folder, ["use.ts"])).not.toThrow();
});

test("npm ci finds every package in the lockfile, on every platform", () => {
  const lockfile = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lockfile;
  expect(missingPackages(lockfile), "run: npx tsx scripts/complete-lockfile.ts").toEqual([]);
});

test("every package inside comes with the text of its licence [attack 21]", () => {
  const notices = readFileSync(join(installed, "dist/THIRD-PARTY.txt"), "utf8");
  const parts = notices.split(`\n\n${"-".repeat(80)}\n\n`);
  const bare = parts.filter((part) => part.trim().length < 500).map((part) => part.split("\n")[0]);
  expect(parts.length).toBeGreaterThan(20);
  expect(bare).toEqual([]);
  for (const part of parts.filter((each) => /^\S+ \S+ \(.*Apache-2\.0/.test(each)))
    expect(part).toMatch(/Apache License\s+Version 2\.0/);
});

test("a bill of materials names every package inside, as the lock file has it [attack 21]", () => {
  const text = readFileSync(join(installed, "dist/sbom.cdx.json"), "utf8");
  const bom = JSON.parse(text) as {
    bomFormat: string;
    specVersion: string;
    components: {
      name: string;
      version: string;
      purl: string;
      "bom-ref": string;
      hashes: { content: string }[];
    }[];
  };
  expect([bom.bomFormat, bom.specVersion]).toEqual(["CycloneDX", "1.6"]);
  const notices = readFileSync(join(installed, "dist/THIRD-PARTY.txt"), "utf8");
  const inside = [...notices.matchAll(/^(\S+ \d+\.\S+) \(.*\)$/gm)].map(([, name = ""]) => name);
  expect(bom.components.map(({ name, version }) => `${name} ${version}`).toSorted()).toEqual(
    inside.toSorted(),
  );
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { integrity?: string }>;
  };
  for (const component of bom.components) {
    const locked = lock.packages[component["bom-ref"].split("#")[1] ?? ""];
    const hash = Buffer.from(component.hashes[0]?.content ?? "", "hex").toString("base64");
    expect(locked?.integrity, component.name).toBe(`sha512-${hash}`);
  }
  expect(new Set(bom.components.map((each) => each["bom-ref"])).size).toBe(bom.components.length);
  expect(text).not.toContain(root);
});
