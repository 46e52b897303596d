// Draws which folder of src imports which, as Mermaid, between the two marks in ARCHITECTURE.md.
// Run: npx tsx scripts/draw-imports.ts

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import table from "./lint/rows.json" with { type: "json" };

const root = resolve(import.meta.dirname, "..");
const page = join(root, "ARCHITECTURE.md");
const [begin, end] = ["<!-- imports: begin -->", "<!-- imports: end -->"];

const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !path.includes("/gen/"));

/** `world.ts` becomes `world`: Mermaid names have no dots. */
const placeOf = (path: string): string => path.split("/")[0]?.replace(/\.ts$/, "") ?? "";

function importsOf(path: string): string[] {
  const text = readFileSync(join(root, "src", path), "utf8");
  const targets = [...text.matchAll(/(?:from |import\()"(\.[^"]+)"/g)].map(([, target = ""]) => target);
  return targets.map((target) => join(dirname(path), target)).filter((target) => !target.startsWith(".."));
}

const arrows = files.flatMap((path) =>
  importsOf(path).map((target) => [placeOf(path), placeOf(target)] as const),
);
const lines = arrows.filter(([from, to]) => from !== to).map(([from, to]) => `  ${from} --> ${to}`);
const places = new Set(files.map(placeOf));
const rows = table.rows.map((row) => row.map(placeOf).filter((place) => places.has(place)));
const groups = rows.map((row, index) => `  subgraph row${index + 1}[" "]\n    ${row.join("\n    ")}\n  end`);

const drawing = ["```mermaid", "flowchart TD", ...groups, ...[...new Set(lines)].toSorted(), "```"].join(
  "\n",
);
const text = readFileSync(page, "utf8");
const [before = "", after = ""] = [text.split(begin)[0], text.split(end)[1]];
writeFileSync(page, `${before}${begin}\n${drawing}\n${end}${after}`);
