import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { errorsPage, errorWordings } from "../../scripts/errors-page.ts";
import { codePattern, readErrors } from "../../scripts/read-errors.ts";

const root = path.resolve(import.meta.dirname, "../..");
const wordings = errorWordings();
const codes = [...new Set(wordings.map(({ code }) => code))];

test('docs/errors.md is what "npm run docs" writes', () => {
  expect(readFileSync(path.join(root, "docs/errors.md"), "utf8")).toBe(errorsPage());
});

test("every code is an area and a fact", () => {
  expect(codes.length).toBeGreaterThan(100);
  expect(codes.filter((code) => !codePattern.test(code))).toEqual([]);
});

/** One fact that stands in the way of several actions: nobody said yes; the cluster is not up yet. */
const saidInTwoWays = ["RUN_NOT_CONFIRMED", "RUN_NOT_UP_YET"];

test("a code has one meaning: wherever it is used, the same thing could not be done", () => {
  const ambiguous = codes
    // One mistake in the cluster file, `SPEC_BAD_NAME`, can stand in many fields.
    .filter((code) => !code.startsWith("SPEC_") && !saidInTwoWays.includes(code))
    .filter(
      (code) => new Set(wordings.filter((each) => each.code === code).map(({ what }) => what)).size > 1,
    );
  expect(ambiguous).toEqual([]);
});

const doing =
  /\b(add|allow|ask|begin|bring|check|choose|compare|copy|correct|create|describe|dial|did you mean|fetch|follow|free|give|install|keep|leave|list|look|lower|make|move|name|pick|put|read|remove|replace|report|reset|run|say|see|set|start|take|try|use|wait|write)\b/i;

test("every next names something to do", () => {
  const idle = wordings.flatMap(({ code, next }) =>
    next === undefined || doing.test(next) || /^<(advice|next)/.test(next) || /^<[\w ]+>$/.test(next)
      ? []
      : [`${code}: ${next}`],
  );
  expect(idle).toEqual([]);
});

test("no part of an error ends with a full stop, and nothing unread is left in it", () => {
  const parts = wordings.flatMap(({ code, what, why, next }) =>
    [what, why, next].flatMap((text) => (text === undefined ? [] : [`${code}: ${text}`])),
  );
  expect(parts.filter((text) => /[^.]\.$|\$\{|<>|=>/.test(text))).toEqual([]);
});

/** Capitals that look like codes and are none. */
const notCodes = new Set([
  "NET_ADMIN",
  "NET_RAW",
  "PVE_TOKEN",
  "RANCHER_PASSWORD",
  "SLIPWAY_AGE_KEY_FILE",
  "SLIPWAY_ASCII",
  "SLIPWAY_HELM",
  "SSH_AUTH_SOCK",
  "SLIPWAY_PVE_PASSWORD",
]);

test("every code that stands anywhere in the code is on the page", () => {
  const areas = [...new Set(codes.map((code) => code.split("_")[0]))].join("|");
  const mention = new RegExp(`"((?:${areas})_[A-Z0-9_]+)"`, "g");
  const files = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !/[/\\]gen[/\\]/.test(file),
  );
  const mentioned = files.flatMap((file) =>
    [...readFileSync(path.join(root, "src", file), "utf8").matchAll(mention)].map(([, code = ""]) => code),
  );
  const known = new Set([...codes, ...notCodes]);
  expect([...new Set(mentioned)].filter((code) => !known.has(code))).toEqual([]);
});

test("readErrors() turns values into placeholders and leaves quotes, choices and helpers readable", () => {
  const source = `
const inWords = (f: Facts): string => \`Cannot \${f.doing} on "\${f.host.name}"\`;
export const full = (f: Facts) =>
  new SlipwayError({
    code: "LAB_FULL", // a comment, with "quotes" and a {
    what: inWords(f),
    why: \`it has \${f.freeGiB} GiB\${f.isHard ? "" : \`, \${f.softGiB} soft\`}, not \${f.known.join(", ") || "any"}\`,
    next: f.isHard ? "Free some" : 'Name "another"',
  });
const mistake = refuse("LAB_ODD", \`\${quote(written)} is odd\`, "Write 2");
`;
  expect(readErrors(source)).toEqual([
    {
      code: "LAB_FULL",
      what: 'Cannot <doing> on "<host name>"',
      why: "it has <free GiB> GiB[, <soft GiB> soft], not <known | any>",
      next: '<Free some | Name "another">',
      else: undefined,
    },
    { code: "LAB_ODD", what: "<written> is odd", why: undefined, next: "Write 2", else: undefined },
  ]);
});
