import { existsSync, mkdtempSync, readFileSync, writeFileSync, mkdirSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { expectGolden } from "../support/golden.ts";
import { inProcess } from "../support/screens/in-process.ts";
import { firstLine } from "../support/screens/json-lines.ts";

const testdata = path.join(import.meta.dirname, "testdata");

const newFolder = (): string => mkdtempSync(path.join(os.tmpdir(), "slipway-cli-"));

async function slipway(args: string[], cwd = newFolder()) {
  return { ...(await inProcess(cwd, args)), cwd };
}

test("slipway without a command says what there is", async () => {
  const { code, stdout } = await slipway([]);
  expect(code).toBe(0);
  expectGolden(stdout.replace(/Slipway \d+\.\d+\.\d+/, "Slipway X.Y.Z"), path.join(testdata, "home.txt"));
});

test.each([
  "init",
  "validate",
  "plan",
  "up",
  "upgrade",
  "down",
  "status",
  "verify",
  "doctor",
  "graph",
  "ui",
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
  "backup",
  "backup list",
  "backup check",
  "ssh",
  "console",
  "adopt",
  "export",
  "schema",
  "completion",
  "version",
])("slipway %s --help shows its options and one example", async (command) => {
  const { code, stdout } = await slipway([...command.split(" "), "--help"]);
  expect(code).toBe(0);
  expectGolden(stdout, path.join(testdata, `help-${command.replaceAll(" ", "-")}.txt`));
});

test("a command that does not exist ends with exit code 2 and the nearest one", async () => {
  const { code, stderr } = await slipway(["pln"]);
  expect(code).toBe(2);
  expect(stderr).toContain('why   unknown command "pln"\n  next  Write plan\n');
});

test("a group of commands without one shows them", async () => {
  const { code, stderr } = await slipway(["secrets"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^Usage: slipway secrets/);
});

test("options behind a sub-command of snapshot are its own", async () => {
  expect((await slipway(["snapshot", "list", "-f", "nowhere.yaml"])).stderr).toContain('"nowhere.yaml"');
  expect((await slipway(["snapshot", "-f", "elsewhere.yaml", "lab"])).stderr).toContain('"elsewhere.yaml"');
});

test.each([
  ["snapshot", "lab"],
  ["snapshot", "list"],
  ["snapshot", "rollback", "lab", "one"],
  ["snapshot", "remove", "lab", "one"],
  ["backup", "lab"],
  ["backup", "list"],
  ["backup", "check", "one"],
  ["proxmox", "grant"],
  ["proxmox", "rotate", "lab"],
  ["secrets", "show"],
  ["secrets", "rekey"],
])("slipway %s %s takes what scripts add to every command [proxmox 11]", async (...words) => {
  const { stderr } = await slipway([
    ...words.filter((word) => word !== undefined),
    "--yes",
    "--plain",
    "--log-level",
    "debug",
  ]);
  expect(stderr).not.toContain("unknown option");
  expect(stderr).toContain('"slipway.yaml"');
});

test("a bad option or stage ends with exit code 2", async () => {
  expect(await slipway(["up", "--untill", "machines"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'RUN_NOT_UNDERSTOOD\n  why   unknown option "--untill"\n  next  Write --until\n',
    ),
  });
  expect((await slipway(["up", "--until", "moon"])).code).toBe(2);
});

test("no cluster file ends with exit code 2 and how to get one", async () => {
  const { code, stderr } = await slipway(["validate"]);
  expect(code).toBe(2);
  expect(stderr).toContain("slipway init --example quickstart");
});

test("init makes the folder of the file it writes, and validate takes a file by its name", async () => {
  const { code, cwd } = await slipway(["init", "--example", "quickstart", "-f", "lab/one.yaml"]);
  expect(code).toBe(0);
  expect(await slipway(["validate", "lab/one.yaml"], cwd)).toMatchObject({ code: 0 });
});

test("init writes an example that validates, and never overwrites a file", async () => {
  const first = await slipway(["init", "--example", "quickstart"]);
  expect([first.code, first.stderr]).toEqual([0, ""]);
  const text = readFileSync(path.join(first.cwd, "slipway.yaml"), "utf8");
  expect((await slipway(["validate"], first.cwd)).code).toBe(0);
  writeFileSync(path.join(first.cwd, "slipway.yaml"), `${text}# mine\n`);
  expect((await slipway(["init", "--example", "quickstart"], first.cwd)).code).toBe(2);
  expect(readFileSync(path.join(first.cwd, "slipway.yaml"), "utf8")).toContain("# mine");
});

test("init keeps .slipway out of git, once", async () => {
  const cwd = newFolder();
  mkdirSync(path.join(cwd, ".git"));
  await slipway(["init", "--example", "quickstart"], cwd);
  await slipway(["init", "--example", "quickstart", "--force"], cwd);
  expect(readFileSync(path.join(cwd, ".gitignore"), "utf8")).toBe(".slipway/\n");
});

test("init --example without a name lists the examples, and an unknown one is refused", async () => {
  expect((await slipway(["init", "--example"])).stdout).toContain("quickstart");
  expect((await slipway(["init", "--example", "nope"])).code).toBe(2);
});

test("validate shows every problem with its line, and as JSON objects with --json", async () => {
  const cwd = newFolder();
  writeFileSync(
    path.join(cwd, "slipway.yaml"),
    "version: 1\nhosts: {}\nclusters:\n  lab: { controlPlane: { count: 2 } }\n",
  );
  const shown = await slipway(["validate"], cwd);
  expect(shown.code).toBe(2);
  expect(shown.stderr).toContain('Did you mean "controlPlanes"?');
  const [problem] = (await slipway(["validate", "--json"], cwd)).stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; line: number });
  expect(problem).toMatchObject({ type: "problem", file: "slipway.yaml" });
});

test("a command that reads the file changes nothing when the file is wrong", async () => {
  const cwd = newFolder();
  writeFileSync(path.join(cwd, "slipway.yaml"), "version: 2\n");
  for (const command of ["plan", "up", "down", "status", "rehearse", "kubeconfig"])
    expect((await slipway([command], cwd)).code, command).toBe(2);
  expect(existsSync(path.join(cwd, ".slipway"))).toBe(false);
});

test("schema prints a JSON Schema that editors read", async () => {
  expect(JSON.parse((await slipway(["schema"])).stdout)).toMatchObject({
    $schema: "http://json-schema.org/draft-07/schema#",
  });
});

test("version tells the build and what it reads and speaks", async () => {
  const { code, stdout } = await slipway(["version"]);
  expect(code).toBe(0);
  const names = [...stdout.matchAll(/^ {2}(\S+(?: \S+)?) {3}/gm)].map(([, name]) => name);
  expect(names).toEqual(expect.arrayContaining(["cluster file", "event stream", "Proxmox API", "Talos API"]));
  const told = firstLine((await slipway(["version", "--json"])).stdout);
  expect(told).toMatchObject({ v: 1, type: "version", form: "package", file: 1, events: 1, libvirt: 1 });
  expect(told).toMatchObject({ proxmox: ["8.4", "9.2"], node: process.versions.node });
});

test("completion knows commands, options, and what is in the file", async () => {
  const { cwd } = await slipway(["init", "--example", "proxmox-rancher-k3s"]);
  const typed = async (...words: string[]): Promise<string[]> =>
    (await slipway(["complete", "--", ...words], cwd)).stdout
      .split("\n")
      .map((line) => line.split("\t")[0] ?? "");
  expect(await typed("st")).toEqual(["status", ""]);
  expect(await typed("")).toContain("init");
  expect(await typed("comp")).toEqual(["completion", ""]);
  expect(await typed("up", "--unt")).toEqual(["--until", ""]);
  expect(await typed("up", "--until", "ma")).toEqual(["machines", ""]);
  expect(await typed("plan", "")).toEqual(["rancher-manager", "nprd-apps", ""]);
  expect(await typed("plan", "--only", "nprd-apps/nprd-apps-2")).toEqual(["nprd-apps/nprd-apps-2", ""]);
  expect(await typed("replace", "rancher-manager/")).toHaveLength(4);
  expect(await typed("evacuate", "")).toEqual(["pve1", ""]);
  expect(await typed("up", "--accept-data-loss", "ran")).toContain("rancher");
  expect(await typed("init", "--example", "talos-ha")).toEqual(["talos-ha-vip", ""]);
  expect(await typed("proxmox", "")).toEqual(["grant", "rotate", ""]);
  expect(await typed("-f", "missing.yaml", "plan", "")).toEqual([""]);
  expect(await typed("plan", "-f", "missing.yaml", "")).toEqual([""]);
});

test("completion scripts need nothing but their shell", async () => {
  for (const shell of ["bash", "zsh", "fish", "powershell"]) {
    const { stdout, code } = await slipway(["completion", shell]);
    expect(code).toBe(0);
    expect(stdout).toContain("slipway complete --");
    expect(stdout).not.toMatch(/_get_comp_words_by_ref|_init_completion/);
  }
  expect(await slipway(["completion", "tcsh"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("bash, zsh"),
  });
});
