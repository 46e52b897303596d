import { expect, test } from "vitest";
import { unifiedDiff } from "./unified-diff.ts";

const lines = (...texts: string[]) => texts.join("\n");

test("unifiedDiff() shows changed lines with three lines around them", () => {
  const before = lines("a", "b", "c", "d", "e", "f", "g", "h", "i", "j");
  const after = lines("a", "b", "c", "d", "E", "f", "g", "h", "i", "j", "k");
  expect(unifiedDiff(before, after)).toBe(
    `${lines(
      "--- a",
      "+++ b",
      "@@ -2,9 +2,10 @@",
      ...[" b", " c", " d", "-e", "+E", " f", " g", " h", " i", " j", "+k"],
    )}\n`,
  );
});

test("unifiedDiff() opens a second hunk for a change far away", () => {
  const before = Array.from({ length: 30 }, (_, line) => `line ${line}`);
  const after = before.with(2, "two").with(25, "twenty-five");
  const diff = unifiedDiff(before.join("\n"), after.join("\n"));
  expect(diff.match(/^@@.*$/gm)).toEqual(["@@ -1,6 +1,6 @@", "@@ -23,7 +23,7 @@"]);
});

test("unifiedDiff() of equal texts is empty", () => {
  expect(unifiedDiff("a\nb\n", "a\nb\n")).toBe("");
});
