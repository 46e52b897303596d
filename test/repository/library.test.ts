import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addNodeTypes, compileIn, packPackage } from "../support/packed-package.ts";
import { whole } from "../support/whole-sweep.ts";

const root = resolve(import.meta.dirname, "../..");
const pages = [
  ...readdirSync(join(root, "docs/library")).map((name) => `docs/library/${name}`),
  "docs/guides/fleet-as-program.md",
];

/** Each block of TypeScript on a page, which is a program. */
const samples = pages.flatMap((page) => {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map((match, i) => ({
    name: `${page}:${text.slice(0, match.index).split("\n").length}`,
    file: `${page.replace(/^.*\/|\.md$/g, "")}-${i + 1}`,
    code: match[1] ?? "",
  }));
});

let folder = "";
beforeAll(() => {
  ({ folder } = packPackage());
  addNodeTypes(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

test("every page of the library has a sample", () => {
  const without = pages.filter((page) => !samples.some(({ name }) => name.startsWith(`${page}:`)));
  expect(without).toEqual(["docs/library/README.md"]);
});

function compileSamples(): void {
  if (existsSync(join(folder, "samples"))) return;
  for (const { file, code } of samples) writeFileSync(join(folder, `${file}.ts`), code);
  compileIn(
    folder,
    samples.map(({ file }) => `${file}.ts`),
    "samples",
  );
}

test("the samples of the pages compile against the package [library]", () => {
  compileSamples();
  expect(readdirSync(join(folder, "samples"))).toHaveLength(samples.length);
});

test.each(samples)("the sample at $name runs [library]", { ...whole, timeout: 600_000 }, async ({ file }) => {
  compileSamples();
  // Each in a folder of its own: some write .slipway.
  const own = join(folder, "runs", file);
  mkdirSync(own, { recursive: true });
  const run = promisify(execFile)(process.execPath, [join(folder, "samples", `${file}.js`)], { cwd: own });
  await expect(run).resolves.toMatchObject({ stderr: "" });
});
