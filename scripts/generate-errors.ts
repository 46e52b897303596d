/** Writes the page of errors from the code: run it with "npm run docs" after changing an error. */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { errorsPage } from "./errors-page.ts";

writeFileSync(fileURLToPath(new URL("../docs/errors.md", import.meta.url)), await errorsPage());
