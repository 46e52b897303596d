import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { missingPackages, type Lockfile } from "../../scripts/missing-packages.ts";

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "slipway-package-"));
const installed = join(folder, "node_modules/slipway");
let packed: string[] = [];

beforeAll(() => {
  // A shell finds npm on every system; nothing from outside goes into the command.
  const text = execFileSync("npm pack --dry-run --json --ignore-scripts", {
    cwd: root,
    encoding: "utf8",
    shell: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  packed = (JSON.parse(text) as { files: { path: string }[] }[])[0]?.files.map(({ path }) => path) ?? [];
  for (const path of packed) cpSync(join(root, path), join(installed, path));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true }));

test("the package holds the program, the library and nothing else", () => {
  expect(packed).toEqual(
    expect.arrayContaining([
      "bin/slipway.js",
      "dist/cli/main.js",
      "dist/index.js",
      "dist/index.d.ts",
      "LICENSE",
    ]),
  );
  const known =
    /^(LICENSE|README\.md|package\.json|bin\/slipway\.js|examples\/.+|dist\/(.+\.js|.+\.d\.ts|THIRD-PARTY\.txt|sbom\.cdx\.json))$/;
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

test("code that uses the library compiles with no other package there but Node's types", () => {
  for (const name of ["@types/node", "undici-types"]) {
    mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  writeFileSync(
    join(folder, "use.ts"),
    'import { SlipwayError } from "slipway";\nexport const codeOf = (error: SlipwayError): string => error.code;\n',
  );
  const options = { strict: true, noEmit: true, module: "nodenext", target: "es2023", types: ["node"] };
  const lib = ["es2023", "esnext.disposable"];
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...options, lib }, files: ["use.ts"] }),
  );
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  expect(() =>
    execFileSync(process.execPath, [tsc, "--project", folder], { stdio: "inherit" }),
  ).not.toThrow();
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
