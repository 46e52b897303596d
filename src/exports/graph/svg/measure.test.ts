import { expect, test } from "vitest";
import { widthOf, wrap } from "./measure.ts";

const font = { size: 10 };

test("widthOf() adds up characters; bold ones are wider, those of a monospace font all the same", () => {
  expect(widthOf("il", font)).toBeCloseTo(6.36);
  expect(widthOf("MM", { size: 10, isBold: true })).toBeGreaterThan(widthOf("MM", font));
  expect(widthOf("iM·", { size: 10, isMono: true })).toBeCloseTo(18.06);
  expect(widthOf("日本", font)).toBe(20);
});

test("wrap() breaks between words, and within one only when it is wider than its line", () => {
  expect(wrap("one two three", 50, font, 9)).toEqual(["one two", "three"]);
  const pieces = wrap("abcdefghijklmnopqrstuvwxyz", 50, font, 9);
  expect(pieces.join("")).toBe("abcdefghijklmnopqrstuvwxyz");
  for (const piece of pieces) expect(widthOf(piece, font)).toBeLessThanOrEqual(50);
});

test("wrap() ends with … where more lines would be needed", () => {
  const lines = wrap("one two three four five six", 50, font, 2);
  expect(lines).toHaveLength(2);
  expect(lines.at(-1)).toMatch(/…$/);
  for (const line of lines) expect(widthOf(line, font)).toBeLessThanOrEqual(50);
});
