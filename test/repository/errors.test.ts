import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { errorsPage, errorWordings } from "../../scripts/errors-page.ts";
import { wordingsOf } from "../../scripts/list-errors.ts";
import { defineError } from "../../src/errors/index.ts";

const root = path.resolve(import.meta.dirname, "../..");
const wordings = await errorWordings();
const codes = [...new Set(wordings.map(({ code }) => code))];

const sourceFiles = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.includes("/gen/"))
  .toSorted();
const sourceOf = (file: string): string => readFileSync(path.join(root, "src", file), "utf8");

test('docs/errors.md is what "npm run docs" writes', async () => {
  expect(readFileSync(path.join(root, "docs/errors.md"), "utf8")).toBe(await errorsPage());
});

test("every code is an area and a fact", () => {
  expect(codes.length).toBeGreaterThan(100);
  expect(codes.filter((code) => !/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(code))).toEqual([]);
});

/** One fact that stands in the way of several actions: a change is not confirmed; the cluster is not up yet. */
const saidInTwoWays = ["RUN_NOT_CONFIRMED", "RUN_NOT_UP_YET"];

test("a code has one meaning: wherever it is used, the same thing could not be done", () => {
  const ambiguous = codes
    // One mistake in the cluster file, `SPEC_BAD_NAME`, can stand in many fields.
    .filter((code) => !code.startsWith("SPEC_") && !saidInTwoWays.includes(code))
    .filter((code) => {
      const plain = new Set(
        wordings.filter((each) => each.code === code && !each.isVariant).map(({ what }) => what),
      );
      return plain.size > 1;
    });
  expect(ambiguous).toEqual([]);
});

const doing =
  /\b(add|allow|ask|begin|bring|check|choose|close|compare|copy|correct|create|describe|dial|did you mean|fetch|find|follow|free|give|install|keep|leave|known here|list|look|lower|make|move|name|pick|place|put|raise|read|remove|repair|replace|report|reset|run|say|see|set|start|take|try|use|wait|write)\b/i;

test("every next names something to do", () => {
  const idle = wordings.flatMap(({ code, next }) =>
    doing.test(next) || /^<[\w ]+>$/.test(next) ? [] : [`${code}: ${next}`],
  );
  expect(idle).toEqual([]);
});

test("no part of an error ends with a full stop or shows a value that is none", () => {
  const parts = wordings.flatMap(({ code, what, why, next, else: other }) =>
    [what, why, next, other].flatMap((text) => (text === undefined ? [] : [`${code}: ${text}`])),
  );
  expect(parts.filter((text) => /[^.]\.$|undefined|null\b|\[object|\[native|<>|=>|: $/.test(text))).toEqual(
    [],
  );
});

/** Capitals that look like codes and are none. */
const notCodes = new Set([
  "NET_ADMIN",
  "NET_RAW",
  "NODE_GET_FREE_MEMORY",
  "NODE_GET_INFO",
  "NODE_GET_SECURITY_MODEL",
  "PVE_TOKEN",
  "RANCHER_PASSWORD",
  "SLIPWAY_AGE_KEY_FILE",
  "SLIPWAY_ASCII",
  "SLIPWAY_HELM",
  "SSH_AUTH_SOCK",
  "SSH_CONNECTION",
  "SLIPWAY_PVE_PASSWORD",
  "SLIPWAY_PVE_TOKEN",
]);

test("every code that stands anywhere in the code is on the page", () => {
  const areas = [...new Set(codes.map((code) => code.split("_")[0]))].join("|");
  const mention = new RegExp(`"((?:${areas})_[A-Z0-9_]+)"`, "g");
  const mentioned = sourceFiles.flatMap((file) =>
    [...sourceOf(file).matchAll(mention)].map(([, code = ""]) => code),
  );
  const known = new Set([...codes, ...notCodes]);
  expect([...new Set(mentioned)].filter((code) => !known.has(code))).toEqual([]);
});

/** Errors that were declared, carried as data or joined, and are thrown again. */
const remade = [
  "addons/steps/preflight.ts",
  "clients/proxmox/task.ts",
  "distros/talos/steps/node/node-config.ts",
  "errors/define-error.ts",
  "operations/rotation/account.ts",
  "operations/snapshot.ts",
];

test("errors are declared in files named errors.ts, and made nowhere else", () => {
  const withText = (text: string) => sourceFiles.filter((file) => sourceOf(file).includes(text));
  expect(withText("new SlipwayError(")).toEqual(remade);
  expect(withText("defineError(").filter((file) => !/(^|[/-])errors\.ts$/.test(file))).toEqual([]);
});

test("wordingsOf() shows facts by their names, and the text of each variant", () => {
  interface Facts {
    doing: string;
    host: { name: string };
    freeGiB: number;
    known: string[];
    limitMs?: number;
  }
  const full = defineError(
    "LAB_FULL",
    (f: Facts, at: string, cause: unknown) => ({
      what: `Cannot ${f.doing} on "${f.host.name}" at ${at}`,
      why: `${f.known.map((name) => `"${name}"`).join(", ") || "nothing"} has ${f.freeGiB} GiB, ${(cause as Error).message}`,
      next:
        f.limitMs === undefined ? "Free some" : `Wait ${f.limitMs / 1000} s for ${f.known.length} of them`,
    }),
    [{ known: [], limitMs: undefined }],
  );
  expect(wordingsOf(full)).toEqual([
    {
      code: "LAB_FULL",
      what: 'Cannot <doing> on "<host name>" at <at>',
      why: '"<known>" has <free GiB> GiB, <reason>',
      next: "Wait <number> s for <number of known> of them",
      isVariant: false,
    },
    {
      code: "LAB_FULL",
      what: 'Cannot <doing> on "<host name>" at <at>',
      why: "nothing has <free GiB> GiB, <reason>",
      next: "Free some",
      isVariant: true,
    },
  ]);
});
