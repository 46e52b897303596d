/** Writes the CustomResourceDefinitions of the controller: run it with "npm run docs" after changing the schema of the file. */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { customResourceFiles, customResourceModule } from "./crds/index.ts";

const folder = fileURLToPath(new URL("../deploy/crds/", import.meta.url));
const generated = fileURLToPath(new URL("../src/addons/slipway/gen/", import.meta.url));

for (const each of [folder, generated]) mkdirSync(each, { recursive: true });
for (const [name, text] of Object.entries(customResourceFiles())) writeFileSync(`${folder}${name}`, text);
writeFileSync(`${generated}custom-resources.ts`, customResourceModule());
