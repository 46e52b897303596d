import { expect, test } from "vitest";
import { differenceOf, graver, type Deviation } from "./deviation.ts";

const memory: Deviation = { field: "memory", from: "2 GiB", to: "4 GiB", consequence: "reboot" };
const notes: Deviation = { field: "notes", from: "older", to: "as the file says", consequence: "hot" };
const lost = { consequence: "data", loses: "the system disk of cp-1" } as const;
const firmware: Deviation = { field: "firmware", from: "bios", to: "uefi", isReplaced: true, ...lost };

test("a machine without deviations is the same", () => {
  expect(differenceOf([], "name")).toEqual({ same: true });
});

test("a difference is as grave as its gravest deviation, and tells all of them in order", () => {
  expect(differenceOf([notes, memory], "name")).toEqual({
    same: false,
    action: "update",
    consequence: "reboot",
    fields: [
      { field: "notes", from: "older", to: "as the file says" },
      { field: "memory", from: "2 GiB", to: "4 GiB" },
    ],
  });
});

test("one deviation that only a new machine puts right replaces it, and what is lost is said once", () => {
  const architecture: Deviation = { field: "architecture", from: "amd64", to: "arm64", ...lost };
  expect(differenceOf([memory, firmware, architecture], "name, address")).toMatchObject({
    action: "replace",
    consequence: "data",
    loses: "the system disk of cp-1",
    keeps: "name, address",
  });
});

test("the graver of two consequences is the one that interrupts or loses more", () => {
  expect([graver("hot", "reboot"), graver("data", "reboot"), graver("hot", "hot")]).toEqual([
    "reboot",
    "data",
    "hot",
  ]);
});
