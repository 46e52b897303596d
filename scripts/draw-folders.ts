/**
 * Draws the folders of src in their rows, as Mermaid, between the two marks in ARCHITECTURE.md. Which folder may import
 * which is the linter's to hold: one arrow from row to row says all there is to it.
 * Run: npx tsx scripts/draw-folders.ts
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { putBetweenMarks } from "./between-marks.ts";
import table from "./lint/rows.json" with { type: "json" };

const root = resolve(import.meta.dirname, "..");

const titles = [
  "the faces",
  "put the parts together",
  "do the work, and do not know each other: they meet in plan",
  "what the work is made of",
  "the cluster file",
  "small, and without a word of the domain",
];

/** Small neighbours that a newcomer may see as one. */
const together = [
  ["backups", "images", "secrets", "pki"],
  ["errors", "lib"],
];

export function drawFolders(): string {
  const rows = table.rows.map((row, index) => {
    const folders = row.filter((name) => !name.endsWith(".ts") && existsSync(join(root, "src", name)));
    const boxes = folders.flatMap((folder) => {
      const mates = together.find((names) => names.includes(folder)) ?? [folder];
      return mates[0] === folder ? [`    ${folder}["${mates.join(" · ")}"]`] : [];
    });
    return [`  subgraph row${index + 1}["${titles[index]}"]`, ...boxes, "  end"].join("\n");
  });
  const arrows = rows.slice(1).map((_, index) => `  row${index + 1} --> row${index + 2}`);
  return ["```mermaid", "flowchart TB", ...rows, ...arrows, "```"].join("\n");
}

if (process.argv[1] === import.meta.filename) {
  const page = join(root, "ARCHITECTURE.md");
  writeFileSync(page, putBetweenMarks(readFileSync(page, "utf8"), "folders", drawFolders()));
}
