import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "rolldown";

/** Writes all style sheets of a folder, in the order of their names, as one beside the bundle. */
export function pageStyles(folder: string, fileName: string): Plugin {
  return {
    name: "page-styles",
    generateBundle() {
      const sheets = readdirSync(folder)
        .filter((name) => name.endsWith(".css"))
        .toSorted();
      const source = sheets.map((name) => squeeze(readFileSync(join(folder, name), "utf8"))).join("");
      this.emitFile({ type: "asset", fileName, source });
    },
  };
}

/** Without comments and line breaks. Spaces inside a value or a selector mean something and stay. */
const squeeze = (css: string): string =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,]) ?/g, "$1")
    .replace(/: /g, ":")
    .replaceAll(";}", "}");
