import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const talos = path.resolve(import.meta.dirname, "../../src/distros/talos");

/** Source files of Talos, and the places inside `src` that each imports, relative to Talos. */
const imports = readdirSync(talos, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.includes("testdata"))
  .flatMap((file) => {
    const text = readFileSync(path.join(talos, file), "utf8");
    return [...text.matchAll(/from "(\.[^"]+)"/g)].map(([, to = ""]) => ({
      file,
      isCompiler: file.startsWith("config/"),
      to: path.posix.join(path.posix.dirname(file), to),
    }));
  });

/** What would go along if the compiler left as a package: nothing here knows cluster files, plans or nodes. */
const along = ["errors", "lib", "pki", "secrets"].map((room) => `../../${room}/index.ts`);

test("the compiler of machine configs needs nothing but what would go along with it", () => {
  const others = imports.filter(({ isCompiler, to }) => isCompiler && !to.startsWith("config/"));
  expect(others.length).toBeGreaterThan(20);
  expect(others.filter(({ to }) => !along.includes(to))).toEqual([]);
});

test("the rest of Talos enters the compiler through its door", () => {
  const entering = imports.filter(({ isCompiler, to }) => !isCompiler && to.startsWith("config/"));
  expect(entering.length).toBeGreaterThan(10);
  expect(entering.filter(({ to }) => to !== "config/index.ts")).toEqual([]);
});
