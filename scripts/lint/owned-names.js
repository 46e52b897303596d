// A lint rule: nobody asks for the name of an add-on, a distribution or a provider outside its own folders. Who needs to
// know something of it asks for the fact. The table is owned-names.json; each row says
// - `family`: the folder of src whose subfolders bear the names, `besides`: the subfolders that do not, or bear the product's own;
// - `names`: further ones, written as a folder would be: `argo-cd`;
// - `everyday`: those that mean something else as well, and are names only alone, in `isLinux` and in `LinuxCluster`;
// - `words`: those that are plain words of the language, and names only in `isExistingHost`, `ExistingHost` and `existingProvider`;
// - `prose`: whether sentences may name them: a text with a space in it tells people something and asks for nothing;
// - `owners`: folders that are about them, where the names may stand; in `src/distros/NAME/` only the folder's own;
// - `allowed`: other files, and folders with a slash at their end, that may name them all the same, each with the reason.
// Code is held to it, comments are not.
// JavaScript, because the linter loads it and Node 20 cannot load TypeScript.

import { readdirSync, readFileSync } from "node:fs";

const table = JSON.parse(readFileSync(new URL("owned-names.json", import.meta.url), "utf8"));

const foldersOf = (family) =>
  readdirSync(new URL(`../../src/${family}`, import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** With the names of their families, so that a new folder needs no line here. */
export const rows = table.map(({ family, besides, names = [], everyday = [], words = [], ...row }) => ({
  ...row,
  everyday,
  words,
  names: [...foldersOf(family).filter((name) => !besides.includes(name)), ...names],
}));

/** `metricsServer`, `metrics_server` and `Metrics Server` as `-metrics-server-`. */
const asWords = (text) =>
  `-${text
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")}-`;

const isIn = (file, place) => (place.endsWith("/") ? file.startsWith(place) : file === place);

/** Whether a text says a name; `words` are its own. */
function says(text, words, name, { everyday, words: plain }) {
  const type = name[0].toUpperCase() + name.slice(1);
  if (plain.includes(name)) return [`is${type}Host`, `${type}Host`, `${name}Provider`].includes(text);
  if (!everyday.includes(name)) return words.includes(`-${name}-`);
  return [name, `is${type}`, `${type}Cluster`].includes(text);
}

/** The rows a file is held to, with the names that are not its own. */
const rowsFor = (file) =>
  rows
    .filter(({ allowed }) => !Object.keys(allowed).some((place) => isIn(file, place)))
    .map(({ names, owners, ...row }) => ({
      ...row,
      names: names.filter((name) => !owners.some((place) => isIn(file, place.replace("NAME", name)))),
    }))
    .filter(({ names }) => names.length > 0);

const ownedNames = {
  create(context) {
    const file = context.filename.replaceAll("\\", "/");
    const start = file.lastIndexOf("/src/") + 1;
    if (start === 0 || file.endsWith(".test.ts") || file.includes("/testdata/")) return {};
    const held = rowsFor(file.slice(start));
    if (held.length === 0) return {};
    const check = (node, text) => {
      const words = asWords(text);
      for (const { what, names, prose, ...row } of held) {
        if (prose && text.includes(" ")) continue;
        const found = names.find((name) => says(text, words, name, row));
        if (found)
          context.report({
            node,
            message: `"${found}" is the name of ${what}: ask for the fact you need, or give the reason in scripts/lint/owned-names.json`,
          });
      }
    };
    return {
      Identifier: (node) => check(node, node.name),
      Literal: (node) => typeof node.value === "string" && check(node, node.value),
      TemplateElement: (node) => check(node, node.value.raw),
    };
  },
};

export default { meta: { name: "slipway-names" }, rules: { "owned-names": ownedNames } };
