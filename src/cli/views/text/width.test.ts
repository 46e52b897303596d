import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cutMiddle, cutText, padEnd, padStart, splitAt, widthOf, wrapText, wrapWhole } from "./width.ts";

test("sentences are cut at a word's end, hashes in the middle", () => {
  expect(cutText("storage full, 3 GiB short", 20)).toBe("storage full, 3 GiB…");
  expect(cutText("storage full", 20)).toBe("storage full");
  expect(cutMiddle("vm-3010-disk-000001.raw", 11)).toBe("vm-30…1.raw");
});

test("wrapText() keeps words whole where it can", () => {
  expect(wrapText("one two three", 7)).toEqual(["one two", "three"]);
  expect(wrapText("abcdefghij k", 4)).toEqual(["abcd", "efgh", "ij k"]);
  expect(wrapText("", 4)).toEqual([""]);
});

test("wide characters count twice, colours not at all", () => {
  expect(widthOf("日本")).toBe(4);
  expect(widthOf("\x1b[31m✗\x1b[0m")).toBe(1);
  expect(padEnd("日本", 6)).toBe("日本  ");
  expect(padStart("日本", 6)).toBe("  日本");
  expect(splitAt("日本語", 3)).toEqual(["日", "本語"]);
});

test("nothing that is cut or wrapped is wider than it may be", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 60 }),
      fc.integer({ min: 2, max: 40 }),
      (text, width) => {
        expect(widthOf(cutText(text, width))).toBeLessThanOrEqual(width);
        expect(widthOf(cutMiddle(text, width))).toBeLessThanOrEqual(width);
        for (const part of wrapText(text, width)) expect(widthOf(part)).toBeLessThanOrEqual(width);
      },
    ),
  );
});

test("a word wider than a line stays whole, alone on its line", () => {
  expect(wrapWhole("pin it: AA:BB:CC:DD:EE today", 8)).toEqual(["pin it:", "AA:BB:CC:DD:EE", "today"]);
  expect(wrapText("AA:BB:CC:DD:EE", 8)).toEqual(["AA:BB:CC", ":DD:EE"]);
});
