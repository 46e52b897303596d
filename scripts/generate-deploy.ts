/** Writes deploy/ but for the kinds: run it with "npm run docs" after changing src/addons/slipway. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { deployFiles } from "./deploy/index.ts";

const folder = fileURLToPath(new URL("../deploy/", import.meta.url));

for (const [name, text] of Object.entries(deployFiles())) {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
const kinds = path.join(folder, "chart/crds");
if (!existsSync(kinds)) symlinkSync("../crds", kinds);
