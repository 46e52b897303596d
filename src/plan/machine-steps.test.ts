import { expect, test } from "vitest";
import type { GraphNode } from "./resource.ts";
import { dataFacts, leftoverData, ownerOfShared } from "./machine-steps.ts";

const disk = (index: number, sizeGiB: number) => ({ index, sizeGiB, volume: `cp-1-data-${index}` });
const whereKept = (kept: { volume: string }[]) => ({
  keptDisks: kept.map(({ volume }) => volume).join(", "),
});

test("data disks are told by their sizes, and none are not told", () => {
  expect(dataFacts([50, 20])).toEqual({ dataGiB: "50 + 20" });
  expect(dataFacts([])).toEqual({});
});

test("a machine that leaves says which data disks outlive it and how many do not", () => {
  const machine = { dataDisksGiB: [50, 20, 10], keptDisks: [disk(0, 50), disk(1, 20)] };
  expect(leftoverData(machine, false, whereKept)).toEqual({
    facts: { lostDisks: 1, keptGiB: "50 + 20", keptDisks: "cp-1-data-0, cp-1-data-1" },
    keeps: "2 data disks",
  });
  expect(leftoverData({ ...machine, keptDisks: [disk(0, 50)] }, false, whereKept).keeps).toBe("data disk");
});

test("where data is to go, no disk outlives its machine", () => {
  const machine = { dataDisksGiB: [50], keptDisks: [disk(0, 50)] };
  expect(leftoverData(machine, true, whereKept)).toEqual({ facts: { lostDisks: 1 } });
});

test("a machine without data disks has nothing to say when it leaves", () => {
  expect(leftoverData({ dataDisksGiB: [], keptDisks: [] }, false, whereKept)).toEqual({ facts: {} });
});

test("what belongs to no cluster goes with the only one that leaves, or with none", () => {
  const step = (cluster: string): GraphNode => ({
    id: `${cluster}/machine/cp-1`,
    kind: "libvirt/machine",
    name: "machine cp-1",
    want: {},
    after: [],
    group: "nodes",
    stage: "machines",
    cluster,
  });
  expect(ownerOfShared([step("lab")], [])).toBe("lab");
  expect(ownerOfShared([step("lab")], ["lab"])).toBe("lab");
  expect(ownerOfShared([step("lab")], ["edge"])).toBe("shared");
  expect(ownerOfShared([], [])).toBe("shared");
});
