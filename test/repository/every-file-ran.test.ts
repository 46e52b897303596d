import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const reporter = resolve(root, "test/support/every-file-ran.ts");
const vitest = resolve(root, "node_modules/vitest/vitest.mjs");
let project: string;

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "slipway-lost-files-"));
  for (const folder of ["src", "test"]) mkdirSync(join(project, folder));
  writeTest("src/fine.test.ts", "() => {}");
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

function writeTest(path: string, body: string): void {
  const library = resolve(root, "node_modules/vitest/dist/index.js");
  writeFileSync(join(project, path), `import { test } from "${library}";\ntest("it", ${body});\n`);
}

function runAll() {
  const args = [vitest, "run", "--pool=forks", "--no-strict-tags", `--reporter=${reporter}`];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: project, encoding: "utf8" });
  return { status, stdout };
}

test("a run that lost no file says how many it ran; a tag says why a test may be skipped", () => {
  writeTest("test/other.test.ts", '{ tags: ["peers"] }, ({ skip }) => skip()');
  expect(runAll()).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("Files run: 2 of 2") as string,
  });
});

test("what is lost with its worker, or skipped without a tag, is named by its file, and fails the run", () => {
  writeTest("test/other.test.ts", '() => process.kill(process.pid, "SIGKILL")');
  writeTest("test/skipped.test.ts", "({ skip }) => skip()");
  const { status, stdout } = runAll();
  expect(status).toBe(1);
  expect(stdout).toContain("Files run: 2 of 3");
  expect(stdout).toContain("Lost with its worker: test/other.test.ts");
  expect(stdout).toContain("Skipped without a tag that says why: test/skipped.test.ts");
});
