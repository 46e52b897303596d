import { readFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isFull, whole } from "../../test/support/whole-sweep.ts";
import { addons } from "../addons/index.ts";
import { formatProblems, formatWarnings, parseFleet } from "./index.ts";

const read = (file: string) => readFileSync(path.join(import.meta.dirname, file), "utf8");
const originals = [
  read("testdata/valid-everything.yaml"),
  read("testdata/valid-anchors-and-merges.yaml"),
  read("testdata/valid-several-pools.yaml"),
  read("testdata/valid-addons.yaml"),
  read("testdata/valid-talos-everything.yaml"),
  read("../../examples/quickstart.yaml"),
];

type Mutation = (text: string) => string;

const values = [
  "null",
  "~",
  "true",
  "12",
  "-1",
  "1e999",
  ".nan",
  "0x10",
  "007",
  "[]",
  "{}",
  "[[]]",
  '""',
  "'",
  "*a",
  "&a b",
  "!x y",
  "| text",
  "__proto__",
  "constructor",
  "{ __proto__: { count: 3 } }",
  "\u0000",
  "\u2028",
  "日本",
  "😀",
  "---",
  "? a",
  "<<: 1",
];

const cutAt = (text: string, at: number): number => (text.length === 0 ? 0 : at % text.length);

const onLine =
  (at: number, change: (line: string) => string[]): Mutation =>
  (text) => {
    const lines = text.split("\n");
    const i = at % lines.length;
    return lines.toSpliced(i, 1, ...change(lines[i] ?? "")).join("\n");
  };

/** What slips of the hand, of an editor or of a disk do to a file. */
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(fc.nat(), fc.integer({ min: 0, max: 0xffff })).map(([at, code]): Mutation => (text) => {
    const i = cutAt(text, at);
    return text.slice(0, i) + String.fromCharCode(code) + text.slice(i + 1);
  }),
  fc.tuple(fc.nat(), fc.nat(30)).map(([at, count]): Mutation => (text) => {
    const i = cutAt(text, at);
    return text.slice(0, i) + text.slice(i + count);
  }),
  fc.nat().map(
    (at): Mutation =>
      (text) =>
        text.slice(0, cutAt(text, at)),
  ),
  fc.nat().map((at) => onLine(at, () => [])),
  fc.nat().map((at) => onLine(at, (line) => [line, line])),
  fc.nat().map((at) => onLine(at, (line) => [`  ${line}`])),
  fc.nat().map((at) => onLine(at, (line) => [line.replace(/^ +/, "\t")])),
  fc
    .tuple(fc.nat(), fc.string())
    .map(([at, key]) => onLine(at, (line) => [line.replace(/[\w-]+:/, () => `${key}:`)])),
  fc
    .tuple(fc.nat(), fc.oneof(fc.constantFrom(...values), fc.string({ unit: "grapheme" })))
    .map(([at, value]) =>
      onLine(at, (line) => [line.replace(/(:\s*)[^:]*$/, (_, colon: string) => colon + value)]),
    ),
  fc.tuple(fc.nat(), fc.nat()).map(([one, other]): Mutation => (text) => {
    const lines = text.split("\n");
    const moved = lines.splice(one % lines.length, 1);
    return lines.toSpliced(other % (lines.length + 1), 0, ...moved).join("\n");
  }),
);

test(
  "no mutation of a valid file crashes the validator, and every problem lies inside of the file",
  whole,
  () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...originals),
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        (original, changes) => {
          const text = changes.reduce((before, change) => change(before), original);
          const source = { file: "slipway.yaml", text };
          const parsed = parseFleet(source, { addons });
          const found = "problems" in parsed ? parsed.problems : parsed.warnings;
          expect("fleet" in parsed || found.length > 0).toBe(true);
          const lines = text.replace(/^\uFEFF/, "").split("\n");
          for (const { position, code, what, next } of found) {
            const line = lines[(position.line ?? 0) - 1];
            expect(line).toBeDefined();
            expect(position.column).toBeGreaterThanOrEqual(1);
            expect(position.column).toBeLessThanOrEqual(Math.max(1, line?.length ?? 0));
            expect(code).toMatch(/^SPEC_[A-Z_]+$/);
            expect(what).not.toBe("");
            expect(next).not.toBe("");
          }
          const shown =
            formatProblems(found, [source], { width: 60 }) + formatWarnings(found, [source], { ascii: true });
          // oxlint-disable-next-line no-control-regex -- that is the point
          expect(shown).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/);
        },
      ),
      { numRuns: isFull ? 500 : 150 },
    );
  },
);
