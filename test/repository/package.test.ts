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
});

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
    /^(LICENSE|README\.md|package\.json|bin\/slipway\.js|examples\/.+|dist\/(.+\.js|.+\.d\.ts|THIRD-PARTY\.txt))$/;
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
