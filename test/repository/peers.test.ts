import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const door = "test/support/peers.ts";

const files = ["src", "test"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`),
  )
  .filter((path) => path.endsWith(".ts") && path !== door && !import.meta.filename.endsWith(path));

const read = (path: string): string => readFileSync(join(root, path), "utf8");

test("what npm does not bring is looked for through test/support/peers.ts, so that npm test is the same everywhere", () => {
  const looks = [
    /SLIPWAY_LAB_CACHE|cache\/slipway-lab/, // what lab/ has made
    /(?:spawn|execFile)Sync\([^)]*\["-{0,2}[vV](?:ersion)?"\]\)/, // whether a program is there
    /existsSync\("\/(?:usr|run)\//,
  ];
  expect(files.filter((path) => looks.some((pattern) => pattern.test(read(path))))).toEqual([]);
});

test("whoever reads what lies beside the repository asks whether it is there", () => {
  const readers = files.filter((path) => /"(?:\.\.\/)+shared\//.test(read(path)));
  expect(readers.length).toBeGreaterThan(0);
  expect(readers.filter((path) => !/\bpeerFile\b/.test(read(path)))).toEqual([]);
});
