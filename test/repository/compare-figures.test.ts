import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { compareFigures, renderComparison } from "../../bench/compare-figures.ts";
import { readFigures, writeFigures, type Figure } from "../../bench/figures.ts";

const figure = (name: string, value: number, more: Partial<Figure> = {}): Figure => ({
  name,
  value,
  unit: "ms",
  noise: 0.1,
  ...more,
});

test("a figure got worse or better only beyond the noise of both runs", () => {
  const before = [figure("a", 100), figure("b", 100), figure("c", 100), figure("d", 100, { noise: 0.5 })];
  const after = [figure("a", 109), figure("b", 111), figure("c", 80), figure("d", 140)];
  expect(compareFigures(before, after).map(({ name, verdict }) => [name, verdict])).toEqual([
    ["a", "same"],
    ["b", "worse"],
    ["c", "better"],
    ["d", "same"],
  ]);
});

test("figures that only one of the runs has are told as new and gone", () => {
  expect(compareFigures([figure("old", 1)], [figure("young", 2)])).toEqual([
    { name: "young", unit: "ms", after: 2, verdict: "new" },
    { name: "old", unit: "ms", before: 1, verdict: "gone" },
  ]);
});

test("what was nothing and is something has got worse, whatever the noise; what stays nothing has not", () => {
  const before = [figure("failed", 0), figure("none", 0)];
  const after = [figure("failed", 1), figure("none", 0)];
  expect(compareFigures(before, after).map(({ verdict }) => verdict)).toEqual(["worse", "same"]);
});

test("the comparison is a table with the change of each figure, and says how many got worse", () => {
  const before = [figure("plan/1000/cpu", 4698), figure("calls", 31, { unit: "calls", noise: 0.05 })];
  const after = [
    figure("plan/1000/cpu", 1400, { limit: 1500 }),
    figure("calls", 40, { unit: "calls", noise: 0.05, limit: 15.5 }),
    figure("start", 9.25),
  ];
  expect(renderComparison(compareFigures(before, after)))
    .toBe(`  figure             before       after   change
+ plan/1000/cpu     4698 ms     1400 ms  -70.2 %
! calls          31.0 calls  40.0 calls  +29.0 %  over its limit
n start                         9.25 ms      new
1 got worse beyond noise (!)
`);
});

test("figures are read as they were written, and a file without any is refused", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-figures-"));
  try {
    const file = path.join(folder, "kept", "figures.json");
    await writeFigures(file, [figure("a", 1.5, { limit: 2 })]);
    expect(await readFigures(file)).toEqual([figure("a", 1.5, { limit: 2 })]);
    await writeFile(path.join(folder, "other.json"), "{}");
    await expect(readFigures(path.join(folder, "other.json"))).rejects.toThrow("holds no figures");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
