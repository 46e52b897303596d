/** Writes the pages that are made from the code: run it with "npm run docs" after changing the schema or a command. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { addonPages, withAddonTable } from "./addon-pages.ts";
import { commandsPage } from "./commands-page.ts";
import { outputJsonSchema } from "../src/cli/output/lines/output-line.ts";
import { schemaFile, specPage } from "./spec-page.ts";

const docs = fileURLToPath(new URL("../docs/", import.meta.url));

mkdirSync(`${docs}addons`, { recursive: true });
writeFileSync(`${docs}spec.md`, specPage());
writeFileSync(`${docs}slipway.schema.json`, schemaFile());
writeFileSync(`${docs}output.schema.json`, `${JSON.stringify(outputJsonSchema(), null, 2)}\n`);
writeFileSync(`${docs}commands.md`, commandsPage());
for (const [name, page] of Object.entries(addonPages())) writeFileSync(`${docs}addons/${name}`, page);
const guide = `${docs}guides/addons.md`;
writeFileSync(guide, await withAddonTable(readFileSync(guide, "utf8")));
