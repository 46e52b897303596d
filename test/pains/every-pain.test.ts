import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");

/** What hypervisors, images, first boots and bootstraps make people suffer from, by number. */
const pains = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
  30, 33, 34, 35, 40,
];

test("every pain has a test that carries its number and where it was seen", () => {
  const files = ["src", "test"].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".test.ts"))
      .map((file) => path.join(root, folder, file)),
  );
  const titles = files.flatMap((file) => readFileSync(file, "utf8").match(/["`]pain-\d\d-[^"`]*#\d+/g) ?? []);
  const numbers = new Set(titles.flatMap((title) => title.match(/pain-\d\d(?=-)/g) ?? []));
  const missing = pains
    .map((number) => `pain-${String(number).padStart(2, "0")}`)
    .filter((each) => !numbers.has(each));
  expect(missing).toEqual([]);
});
