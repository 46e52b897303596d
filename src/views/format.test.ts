import { expect, test } from "vitest";
import {
  formatBytes,
  formatBytesOf,
  formatCount,
  formatDuration,
  formatElapsed,
  formatEstimate,
  formatMiB,
  formatNumber,
  formatRanges,
  formatSeconds,
  joinNames,
  listNames,
  lowerFirst,
} from "./format.ts";

test.each([
  [0, "0.0s"],
  [43, "43 ms"],
  [99, "99 ms"],
  [99.7, "0.1s"],
  [400, "0.4s"],
  [9_800, "9.8s"],
  [9_960, "10s"],
  [38_300, "38s"],
  [59_700, "1m"],
  [72_000, "1m 12s"],
  [178_000, "2m 58s"],
  [242_000, "4m 02s"],
  [300_000, "5m"],
  [3_599_900, "1h"],
  [7_500_000, "2h 05m"],
  [86_390_000, "1d"],
  [3 * 86_400_000, "3d"],
  [Number.NaN, "0.0s"],
  [-5, "0.0s"],
])("formatDuration(%d) is %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test("a running clock shows whole seconds, a forecast from three minutes on whole minutes", () => {
  expect(formatElapsed(2_400)).toBe("2s");
  expect(formatEstimate(164_000)).toBe("2m 44s");
  expect(formatEstimate(196_000)).toBe("3m");
  expect(formatSeconds(34_000)).toBe("34.0s");
  expect(formatSeconds(178_000)).toBe("2m 58s");
});

test("sizes are in the units of the file, with one decimal below 10", () => {
  expect(formatBytes(512)).toBe("512 B");
  expect(formatBytes(44.2 * 1024 ** 2)).toBe("44 MiB");
  expect(formatBytes(1_395_864_371)).toBe("1.3 GiB");
  expect(formatBytesOf(0.5 * 1024 ** 3, 1.3 * 1024 ** 3)).toBe("0.5 of 1.3 GiB");
  expect([512, 1536, 4096, 12_800].map(formatMiB)).toEqual(["512 MiB", "1.5 GiB", "4 GiB", "13 GiB"]);
});

test("counts, lists and ranges", () => {
  expect(formatCount(4, 6)).toBe("4 of 6");
  expect(formatNumber(1, "machine")).toBe("1 machine");
  expect(formatNumber(6, "machine")).toBe("6 machines");
  expect(listNames(["cp-1", "cp-2", "cp-3"])).toBe("cp-1, cp-2, cp-3");
  expect(listNames(["a", "b", "c", "d", "e", "f", "g"])).toBe("a, b, c and 4 more");
  expect(joinNames(["a", "b", "c"])).toBe("a, b and c");
  expect(formatRanges([3011, 2010, 2012, 2011, 3010, 4000])).toBe("2010-2012, 3010-3011, 4000");
  expect(lowerFirst("Create machine")).toBe("create machine");
  expect(lowerFirst("API up")).toBe("API up");
});
