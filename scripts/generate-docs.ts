/** Writes the pages that are made from the code: run it with "npm run docs" after changing the schema. */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { schemaFile, specPage } from "./spec-page.ts";

const docs = fileURLToPath(new URL("../docs/", import.meta.url));

mkdirSync(docs, { recursive: true });
writeFileSync(`${docs}spec.md`, specPage());
writeFileSync(`${docs}slipway.schema.json`, schemaFile());
