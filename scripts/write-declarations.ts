/** Joins the declarations that the compiler wrote into one file for each entry: run by "npm run build". */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { joinDeclarations } from "./declarations/join-declarations.ts";
import { entries } from "./entries.ts";

const written = "dist/types";

for (const [entry, source] of Object.entries(entries)) {
  const { text, unnamed } = joinDeclarations(
    path.join(written, source.replace(/^src\//, "").replace(/\.ts$/, ".d.ts")),
  );
  if (unnamed.length > 0)
    throw new Error(`slipway/${entry} has types that nobody can name: ${unnamed.join(", ")}`);
  mkdirSync(path.dirname(`dist/${entry}`), { recursive: true });
  writeFileSync(`dist/${entry}.d.ts`, text);
}
rmSync(written, { recursive: true });
