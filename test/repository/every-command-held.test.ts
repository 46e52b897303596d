import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { jsonCommands } from "../support/commands.ts";
import { heldNote, heldVariable } from "../support/every-command-held.ts";
import { holdToSchema } from "../support/hold-to-schema.ts";

const root = resolve(import.meta.dirname, "../..");

test("a run of all tests names the command that none of them held to the JSON schema, and fails", () => {
  const project = mkdtempSync(join(tmpdir(), "slipway-unheld-"));
  const library = resolve(root, "node_modules/vitest/dist/index.js");
  const commands = jsonCommands();
  const held = commands.filter((command) => command !== "status");
  const notes = held.map((command) => heldNote(command, commands)).join("");
  const body = `appendFileSync(process.env.${heldVariable}, ${JSON.stringify(notes)})`;
  writeFileSync(
    join(project, "all.test.ts"),
    `import { appendFileSync } from "node:fs";\nimport { test } from "${library}";\ntest("it", () => ${body});\n`,
  );
  const reporter = resolve(root, "test/support/every-command-held.ts");
  const args = [
    resolve(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "--pool=forks",
    `--reporter=${reporter}`,
  ];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: project, encoding: "utf8" });
  rmSync(project, { recursive: true });
  expect(stdout).toContain(`Commands held to the JSON schema: ${held.length} of ${held.length + 1}`);
  expect(stdout).toContain("No test holds it to the JSON schema: status\n");
  expect(status).toBe(1);
});

test("a line with a field that the schema does not name is refused, and so is an end without done", () => {
  const of = { v: 1, at: "2026-07-14T09:31:02.000Z", ms: 0, run: "20260714-093102" };
  const text = (...lines: object[]) =>
    lines.map((line, index) => `${JSON.stringify({ ...of, seq: index + 1, ...line })}\n`).join("");
  const found = { type: "found", text: "x" };
  const done = { type: "done", outcome: "done", exitCode: 0, tookMs: 1 };
  const hold =
    (stdout: string, code: number | null = 0) =>
    () =>
      holdToSchema(["init", "--json"], { code, stdout });
  const before = process.env[heldVariable];
  delete process.env[heldVariable];
  try {
    expect(hold(text(found, done))).not.toThrow();
    expect(hold(text({ ...found, more: 1 }, done))).toThrow("more");
    expect(hold(text(found))).toThrow("the last line is");
    expect(hold(text(found), null), "killed").not.toThrow();
    expect(hold(text(found, { ...done, exitCode: 1 }))).toThrow("ended with 0");
    expect(hold(text(found, { ...done, seq: 7 }))).toThrow("number 2");
    expect(hold(text(found, { ...done, run: "another" }))).toThrow("several runs");
  } finally {
    if (before !== undefined) process.env[heldVariable] = before;
  }
});
