import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import table from "../../scripts/lint/rows.json" with { type: "json" };

const root = resolve(import.meta.dirname, "../..");
const sourceFolders = ["src", "test", "scripts", "bench", "bin"].filter((name) =>
  existsSync(join(root, name)),
);

const sources = sourceFolders
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`),
  )
  .filter((path) => /\.(ts|js|tsx)$/.test(path) && !path.includes("/gen/"));

const read = (path: string): string => readFileSync(join(root, path), "utf8");

test("no source file is longer than 350 lines", () => {
  const long = sources.map((path) => ({ path, lines: read(path).split("\n").length - 1 }));
  expect(long.filter(({ lines }) => lines > 350)).toEqual([]);
});

test("no source file puts work off", () => {
  // The first letter stands apart, so that this file does not find itself.
  const marks = /\b([T]ODO|[F]IXME|[X]XX)\b/;
  expect(sources.filter((path) => marks.test(read(path)))).toEqual([]);
});

test("no wait is counted by the wall clock, which may jump [attack untried: clock jumps]", () => {
  // Certificates of simulated servers, and the one clock all others are made from, may ask for the date.
  const asks = sources.filter(
    (path) => path.startsWith("src/") && !/^src\/(sim\/|lib\/clock)|\.test\.ts$/.test(path),
  );
  expect(asks.filter((path) => /Date\.now\(\)|new Date\(\)/.test(read(path)))).toEqual([]);
});

test("no test is skipped or alone without a condition", () => {
  const marks = /\b(test|describe|it)\.(skip|only|todo)\b/;
  expect(sources.filter((path) => path.endsWith(".test.ts") && marks.test(read(path)))).toEqual([]);
});

/** Top folders of src, and the members of a family, each of which stands for itself. */
const folders = readdirSync(join(root, "src"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => [name, ...(table.families.includes(name) ? subfolders(name) : [])])
  .filter(holdsSource);

function subfolders(name: string): string[] {
  return readdirSync(join(root, "src", name), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "testdata" && entry.name !== "gen")
    .map((entry) => `${name}/${entry.name}`);
}

/** A family may hold nothing but its members, and the suite all of them have to pass. */
function holdsSource(folder: string): boolean {
  const own = sources.filter(
    (path) => path.startsWith(`src/${folder}/`) && !path.slice(`src/${folder}/`.length).includes("/"),
  );
  return own.some((path) => !path.endsWith("/contract.ts"));
}

// The command line is entered through main.ts, which nobody imports.
test.each(folders.filter((folder) => folder !== "cli"))(
  "src/%s has a door that says what it is for",
  (folder) => {
    const door = join(root, "src", folder, "index.ts");
    expect(existsSync(door)).toBe(true);
    expect(readFileSync(door, "utf8")).toMatch(/^\/(\*\*|\/)/);
  },
);

test.each(folders.filter((folder) => !folder.includes("/")))("src/%s stands in a row", (folder) => {
  expect(table.rows.flat()).toContain(folder);
});
