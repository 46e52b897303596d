import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** Lints a folder holding only these files, with the rules of this repository. */
async function lint(files: Record<string, string>): Promise<{ passed: boolean; text: string }> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-lint-"));
  try {
    const config = JSON.parse(await readFile(join(root, ".oxlintrc.json"), "utf8")) as {
      jsPlugins: string[];
    };
    const jsPlugins = config.jsPlugins.map((path) => join(root, path));
    await writeFile(join(folder, ".oxlintrc.json"), JSON.stringify({ ...config, jsPlugins }));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const oxlint = join(root, "node_modules/oxlint/bin/oxlint");
    return await promisify(execFile)(process.execPath, [oxlint, "--deny-warnings", "--format=unix"], {
      cwd: folder,
    }).then(
      ({ stdout }) => ({ passed: true, text: stdout }),
      (failure: { stdout: string }) => ({ passed: false, text: failure.stdout }),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

const clean = {
  "src/lib/index.ts": 'export { add } from "./add.ts";\n',
  "src/lib/add.ts": "export const add = (a: number, b: number): number => a + b;\n",
  "src/pki/index.ts": "export const key = 1;\n",
  "src/secrets/index.ts": 'export { key } from "../pki/index.ts";\n',
  "src/clients/kube/index.ts": 'export { dial } from "./dial.ts";\n',
  "src/clients/kube/dial.ts": 'import { add } from "../../lib/index.ts";\n\nexport const dial = add(1, 2);\n',
  "src/engine/index.ts": 'export { run } from "./run.ts";\n',
  "src/engine/run.ts":
    'import { dial } from "../clients/kube/index.ts";\nimport { add } from "../lib/index.ts";\n\nexport const run = add(dial, 1);\n',
  "src/world/index.ts": 'export { run } from "../engine/index.ts";\n',
  "src/operations/index.ts": 'export { run } from "../world/index.ts";\n',
  "src/cli/main.ts":
    'import { key } from "../secrets/index.ts";\n\nexport const main = async () => [key, await import("../operations/index.ts")];\n',
};

const violations = [
  {
    kind: "an upward import",
    path: "src/lib/up.ts",
    text: 'export { run } from "../engine/index.ts";\n',
    says: "imports point down: lib stands below engine",
  },
  {
    kind: "an upward import that is only a type",
    path: "src/engine/up.ts",
    text: 'import type { main } from "../cli/index.ts";\n\nexport type Main = typeof main;\n',
    says: "imports point down: engine stands below cli",
  },
  {
    kind: "an upward import inside a type",
    path: "src/plan/up.ts",
    text: 'export type Run = typeof import("../engine/index.ts").run;\n',
    says: "imports point down: plan stands below engine",
  },
  {
    kind: "a sideways import",
    path: "src/sim/sideways.ts",
    text: 'export { run } from "../engine/index.ts";\n',
    says: "sim and engine stand in one row and do not know each other",
  },
  {
    kind: "a sideways import against the allowed direction",
    path: "src/pki/sideways.ts",
    text: 'export * from "../secrets/index.ts";\n',
    says: "pki and secrets stand in one row and do not know each other",
  },
  {
    kind: "an import past a door",
    path: "src/engine/past.ts",
    text: 'export { add } from "../lib/add.ts";\n',
    says: "lib is entered through its door, lib/index.ts",
  },
  {
    kind: "a lazy import past the door of a subfolder",
    path: "src/engine/past-later.ts",
    text: 'export const load = async () => import("../clients/kube/dial.ts");\n',
    says: "clients/kube is entered through its door, clients/kube/index.ts",
  },
  {
    kind: "an import past the door of a sibling in a family",
    path: "src/clients/helm/past.ts",
    text: 'export { dial } from "../kube/dial.ts";\n',
    says: "clients/kube is entered through its door, clients/kube/index.ts",
  },
  {
    kind: "an import from the tests",
    path: "src/engine/outside.ts",
    text: 'export { golden } from "../../test/support/golden.ts";\n',
    says: "src imports nothing from outside src",
  },
  {
    kind: "a folder without a row",
    path: "src/utils/index.ts",
    text: 'export { add } from "../lib/index.ts";\n',
    says: "src/utils stands in no row",
  },
];

/** Each in a folder of its own: they change what the others import. */
const cycles = [
  {
    kind: "a cycle",
    path: "src/lib/add.ts",
    text: 'import { add as again } from "./index.ts";\n\nexport const add = (a: number, b: number): number => again(a, b);\n',
    says: "import(no-cycle)",
  },
  {
    kind: "a cycle of types alone",
    path: "src/lib/add.ts",
    text: 'import type { Sum } from "./index.ts";\n\nexport const add = (a: number, b: number): Sum => a + b;\nexport type { Sum };\n',
    says: "import(no-cycle)",
  },
];

test("no folder is exempt from the rule against cycles", async () => {
  const text = await readFile(join(root, ".oxlintrc.json"), "utf8");
  const { overrides } = JSON.parse(text) as { overrides: { files: string[]; rules: object }[] };
  expect(overrides.filter(({ rules }) => "import/no-cycle" in rules)).toEqual([]);
});

test("the linter accepts imports that point down through doors", async () => {
  expect(await lint(clean)).toEqual({ passed: true, text: "" });
});

test("the linter lets tests import whatever they need", async () => {
  const text = 'import { run } from "../engine/run.ts";\n\nexport const seen = run;\n';
  expect(await lint({ ...clean, "src/lib/add.test.ts": text })).toEqual({ passed: true, text: "" });
});

describe("the linter", () => {
  let found: string[] = [];
  beforeAll(async () => {
    const wrong = Object.fromEntries(violations.map(({ path, text }) => [path, text]));
    const { passed, text } = await lint({ ...clean, ...wrong });
    expect(passed).toBe(false);
    found = text.split("\n");
  });

  test.each(violations)("refuses $kind", ({ path, says }) => {
    expect(found).toContainEqual(expect.stringMatching(new RegExp(`${path}:.*${says}`)));
  });
});

test.each(cycles)("the linter refuses $kind", async ({ path, text, says }) => {
  const result = await lint({ ...clean, [path]: text });
  expect(result.passed).toBe(false);
  expect(result.text).toContain(path);
  expect(result.text).toContain(says);
});
