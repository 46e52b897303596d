import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync, mkdirSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { expectGolden } from "../support/golden.ts";

const program = path.resolve(import.meta.dirname, "../../bin/slipway.js");
const testdata = path.join(import.meta.dirname, "testdata");

function slipway(args: string[], cwd = mkdtempSync(path.join(os.tmpdir(), "slipway-cli-"))) {
  const env = { ...process.env, NO_COLOR: "1", LANG: "C.UTF-8", COLUMNS: "80" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd,
    env,
    encoding: "utf8",
  });
  return { code: status, stdout, stderr, cwd };
}

test("slipway without a command says what there is", () => {
  const { code, stdout } = slipway([]);
  expect(code).toBe(0);
  expectGolden(stdout.replace(/Slipway \d+\.\d+\.\d+/, "Slipway X.Y.Z"), path.join(testdata, "home.txt"));
});

test.each([
  "init",
  "validate",
  "plan",
  "up",
  "down",
  "status",
  "verify",
  "doctor",
  "support-bundle",
  "rehearse",
  "sim",
  "kubeconfig",
  "talosconfig",
  "kubectl",
  "talosctl",
  "proxy",
  "talos",
  "talos gen config",
  "talos gen secrets",
  "talos patch",
  "talos schematic",
  "proxmox",
  "proxmox grant",
  "proxmox rotate",
  "secrets",
  "secrets show",
  "secrets rekey",
  "secrets decrypt",
  "snapshot",
  "snapshot list",
  "snapshot rollback",
  "snapshot remove",
  "ssh",
  "console",
  "adopt",
  "export",
  "schema",
  "completion",
])("slipway %s --help shows its options and one example", (command) => {
  const { code, stdout } = slipway([...command.split(" "), "--help"]);
  expect(code).toBe(0);
  expectGolden(stdout, path.join(testdata, `help-${command.replaceAll(" ", "-")}.txt`));
});

test("a command that does not exist ends with exit code 2 and the nearest one", () => {
  const { code, stderr } = slipway(["pln"]);
  expect(code).toBe(2);
  expect(stderr).toContain("Did you mean plan?");
});

test("options behind a sub-command of snapshot are its own", () => {
  expect(slipway(["snapshot", "list", "-f", "nowhere.yaml"]).stderr).toContain('"nowhere.yaml"');
  expect(slipway(["snapshot", "-f", "elsewhere.yaml", "lab"]).stderr).toContain('"elsewhere.yaml"');
});

test.each([
  ["snapshot", "lab"],
  ["snapshot", "list"],
  ["snapshot", "rollback", "lab", "one"],
  ["snapshot", "remove", "lab", "one"],
  ["proxmox", "grant"],
  ["proxmox", "rotate", "lab"],
  ["secrets", "show"],
  ["secrets", "rekey"],
])("slipway %s %s takes what scripts add to every command [proxmox 11]", (...words) => {
  const { stderr } = slipway([
    ...words.filter((word) => word !== undefined),
    "--yes",
    "--plain",
    "--log-level",
    "debug",
  ]);
  expect(stderr).not.toContain("unknown option");
  expect(stderr).toContain('"slipway.yaml"');
});

test("a bad option or stage ends with exit code 2", () => {
  expect(slipway(["up", "--untill", "machines"]).code).toBe(2);
  expect(slipway(["up", "--until", "moon"]).code).toBe(2);
});

test("no cluster file ends with exit code 2 and how to get one", () => {
  const { code, stderr } = slipway(["validate"]);
  expect(code).toBe(2);
  expect(stderr).toContain("slipway init --example quickstart");
});

test("init writes an example that validates, and never overwrites a file", () => {
  const first = slipway(["init", "--example", "quickstart"]);
  expect([first.code, first.stderr]).toEqual([0, ""]);
  const text = readFileSync(path.join(first.cwd, "slipway.yaml"), "utf8");
  expect(slipway(["validate"], first.cwd).code).toBe(0);
  writeFileSync(path.join(first.cwd, "slipway.yaml"), `${text}# mine\n`);
  expect(slipway(["init", "--example", "quickstart"], first.cwd).code).toBe(2);
  expect(readFileSync(path.join(first.cwd, "slipway.yaml"), "utf8")).toContain("# mine");
});

test("init keeps .slipway out of git, once", () => {
  const cwd = mkdtempSync(path.join(os.tmpdir(), "slipway-cli-"));
  mkdirSync(path.join(cwd, ".git"));
  slipway(["init", "--example", "quickstart"], cwd);
  slipway(["init", "--example", "quickstart", "--force"], cwd);
  expect(readFileSync(path.join(cwd, ".gitignore"), "utf8")).toBe(".slipway/\n");
});

test("init --example without a name lists the examples, and an unknown one is refused", () => {
  expect(slipway(["init", "--example"]).stdout).toContain("quickstart");
  expect(slipway(["init", "--example", "nope"]).code).toBe(2);
});

test("validate shows every problem with its line, and as JSON objects with --json", () => {
  const cwd = mkdtempSync(path.join(os.tmpdir(), "slipway-cli-"));
  writeFileSync(
    path.join(cwd, "slipway.yaml"),
    "version: 1\nhosts: {}\nclusters:\n  lab: { controlPlane: { count: 2 } }\n",
  );
  const shown = slipway(["validate"], cwd);
  expect(shown.code).toBe(2);
  expect(shown.stderr).toContain('Did you mean "controlPlanes"?');
  const [problem] = slipway(["validate", "--json"], cwd)
    .stdout.trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; line: number });
  expect(problem).toMatchObject({ type: "problem", file: "slipway.yaml" });
});

test("a command that reads the file changes nothing when the file is wrong", () => {
  const cwd = mkdtempSync(path.join(os.tmpdir(), "slipway-cli-"));
  writeFileSync(path.join(cwd, "slipway.yaml"), "version: 2\n");
  for (const command of ["plan", "up", "down", "status", "rehearse", "kubeconfig"])
    expect(slipway([command], cwd).code, command).toBe(2);
  expect(existsSync(path.join(cwd, ".slipway"))).toBe(false);
});

test("schema prints a JSON Schema that editors read", () => {
  expect(JSON.parse(slipway(["schema"]).stdout)).toMatchObject({
    $schema: "http://json-schema.org/draft-07/schema#",
  });
});

test("completion knows commands and options", () => {
  expect(slipway(["completion", "bash"]).stdout).toContain("slipway");
  expect(slipway(["complete", "--", "st"]).stdout).toContain("status");
  expect(slipway(["complete", "--", "up", "--unt"]).stdout).toContain("--until");
});
