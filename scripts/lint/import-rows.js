// A lint rule: imports point down, and other folders are entered only through their door.
// JavaScript, because the linter loads it and Node 20 cannot load TypeScript.

import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * `rows`, from top to bottom: a folder may import from every row below its own, never from above.
 * `neighbours`: folders of one row do not know each other, but for these; `*` stands for any one folder.
 * `families`: in these every subfolder stands for itself, with a door of its own: `clients/talos/index.ts`.
 */
const { rows, neighbours, families } = JSON.parse(
  readFileSync(new URL("rows.json", import.meta.url), "utf8"),
);

const rowOf = (place) => rows.findIndex((row) => row.includes(place));

/** `clients/talos/gen/machine_pb.ts` belongs to the place `clients` and in it to the unit `clients/talos`. */
function locate(path) {
  const [place, ...rest] = path.split("/");
  const isMember = families.includes(place) && rest.length > 1;
  return { place, unit: isMember ? `${place}/${rest[0]}` : place, isFolder: rest.length > 0 };
}

const patterns = Object.entries(neighbours).map(([folder, known]) => ({
  begins: new RegExp(`^${folder.replace("*", "[^/]+")}(/|$)`),
  known,
}));

const isNeighbour = (fromPath, place) =>
  patterns.some(({ begins, known }) => begins.test(fromPath) && known.includes(place));

/** The sentence that says what is wrong with an import, or nothing when it is fine. */
function findFault(fromPath, toPath) {
  if (toPath.startsWith("../")) {
    return toPath === "../package.json" ? undefined : "src imports nothing from outside src";
  }
  const from = locate(fromPath);
  const to = locate(toPath);
  for (const { place } of [from, to]) {
    if (rowOf(place) === -1) return `src/${place} stands in no row; give it one in scripts/lint/rows.json`;
  }
  if (from.place !== to.place) {
    const [fromRow, toRow] = [rowOf(from.place), rowOf(to.place)];
    if (toRow < fromRow) return `imports point down: ${from.place} stands below ${to.place}`;
    if (toRow === fromRow && !isNeighbour(fromPath, to.place)) {
      return `${from.place} and ${to.place} stand in one row and do not know each other`;
    }
  }
  const isInside = to.unit === from.unit || to.unit === from.place;
  if (!isInside && to.isFolder && basename(toPath) !== "index.ts") {
    return `${to.unit} is entered through its door, ${to.unit}/index.ts`;
  }
  return undefined;
}

const importRows = {
  create(context) {
    const file = context.filename.replaceAll("\\", "/");
    const start = file.lastIndexOf("/src/") + "/src/".length;
    if (start < "/src/".length || file.endsWith(".test.ts")) return {};
    const fromPath = file.slice(start);
    const check = ({ source }) => {
      if (typeof source?.value !== "string" || !source.value.startsWith(".")) return;
      const fault = findFault(fromPath, join(dirname(fromPath), source.value).replaceAll("\\", "/"));
      if (fault) context.report({ node: source, message: fault });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportAllDeclaration: check,
      ExportNamedDeclaration: check,
      TSImportType: check,
    };
  },
};

export default { meta: { name: "slipway" }, rules: { "import-rows": importRows } };
