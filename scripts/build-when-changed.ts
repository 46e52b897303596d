/** Builds, unless nothing has changed since: "npm ci" has just done it when the first "npm test" begins. */
import { execSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import path from "node:path";

const madeOf = [
  "src",
  "scripts",
  "rolldown.config.ts",
  "rolldown.page.config.ts",
  "tsconfig.json",
  "tsconfig.build.json",
  "package.json",
  "package-lock.json",
];
/** What a build writes last. */
const last = "dist/share/man/man1/slipway.1";

/** When it was last changed; of a folder, also when something last came or went in it. */
function changedAt(file: string): number {
  const stat = statSync(file);
  const inside = stat.isDirectory() ? readdirSync(file) : [];
  const parts = inside.filter((name) => !name.endsWith(".test.ts")).map((name) => path.join(file, name));
  return Math.max(stat.mtimeMs, ...parts.map(changedAt));
}

const builtAt = statSync(last, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (Math.max(...madeOf.map(changedAt)) >= builtAt) execSync("npm run build --silent", { stdio: "inherit" });
