import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { views } from "../../src/exports/graph/index.ts";
import { expectGolden } from "../support/golden.ts";
import { checkPicture } from "../support/graph/check-picture.ts";
import { inProcess } from "../support/screens/in-process.ts";
import { firstLine, jsonLines } from "../support/screens/json-lines.ts";

const examplesFolder = path.resolve(import.meta.dirname, "../../examples");
const examples = readdirSync(examplesFolder).filter((name) => /\.(yaml|mjs)$/.test(name));
/** Of a cluster whose secrets are encrypted, the steps are told to those only who can open them. */
const viewsOf = (name: string) =>
  readFileSync(path.join(examplesFolder, name), "utf8").includes("encryption:")
    ? views.filter((view) => view !== "steps")
    : views;
const newFolder = (): string => mkdtempSync(path.join(os.tmpdir(), "slipway-graph-"));

const graph = (args: string[], folder = newFolder()) => inProcess(folder, ["graph", ...args]);
const ofExample = (name: string, ...args: string[]) =>
  graph(["-f", path.join(examplesFolder, name), ...args]);

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(examples)("examples/%s", (name) => {
  test.each(["mermaid", "d2", "json"])(
    "is the same %s as ever, in every view, without a network",
    async (format) => {
      const connect = vi.spyOn(net.Socket.prototype, "connect");
      const parts: string[] = [];
      for (const view of viewsOf(name)) {
        const { code, stdout, stderr } = await ofExample(name, "--view", view, "--format", format);
        expect([code, stderr]).toEqual([0, ""]);
        parts.push(`== ${view}\n${stdout}`);
      }
      expect(connect).not.toHaveBeenCalled();
      expectGolden(parts.join("\n"), import.meta.dirname, "testdata/graph", `${name}.${format}.txt`);
    },
  );

  test.each(viewsOf(name))("has a picture of its %s in which nothing overflows or overlaps", async (view) => {
    const { stdout } = await ofExample(name, "--view", view);
    checkPicture(stdout);
    expect((await ofExample(name, "--view", view)).stdout, "the same bytes again").toBe(stdout);
  });
});

/** What README and the guide show is what the program draws. `UPDATE_GOLDEN=1` draws it again. */
test.each([
  ["graph-topology.svg", "proxmox-templates-three-hosts.yaml", "topology"],
  ["graph-network.svg", "talos-many-nics.yaml", "network"],
  ["graph-steps.svg", "quickstart.yaml", "steps"],
])("docs/images/%s is drawn from examples/%s", async (picture, name, view) => {
  const { stdout } = await ofExample(name, "--view", view);
  expectGolden(stdout, import.meta.dirname, "../../docs/images", picture);
  const guide = readFileSync(path.resolve(examplesFolder, "../docs/guides/diagrams.md"), "utf8");
  expect(guide).toContain(`(../images/${picture})`);
});

test("README shows one picture", () => {
  const readme = readFileSync(path.resolve(examplesFolder, "../README.md"), "utf8");
  expect(readme).toContain("(docs/images/graph-topology.svg)");
});

const quickstart = path.join(examplesFolder, "quickstart.yaml");

test("a picture goes to standard output when that is no terminal", async () => {
  const { stdout } = await graph(["-f", quickstart]);
  expect(stdout).toMatch(/^<svg /);
});

test("at a terminal a picture goes into a file that is named after what it shows, and text is printed", async () => {
  const folder = newFolder();
  const typed = async (...args: string[]): Promise<string> =>
    (await inProcess(folder, ["graph", "-f", quickstart, ...args], {}, { isTerminal: true })).stdout;
  expect(await typed()).toBe("✓ quickstart-topology.svg   1 control plane, 2 workers on 1 host\n");
  expect(readFileSync(path.join(folder, "quickstart-topology.svg"), "utf8")).toMatch(/^<svg /);
  expect(await typed("--format", "mermaid")).toContain("flowchart TB");
  expect(readdirSync(folder)).toEqual(["quickstart-topology.svg"]);
});

test.each([
  ["lab.svg", /^<svg /],
  ["lab.mmd", /^---\ntitle: "Network of quickstart"/],
  ["lab.d2", /^# Network of quickstart\n/],
  ["lab.json", /^\{\n {2}"v": 1,\n {2}"type": "graph",\n {2}"view": "network"/],
  ["lab.txt", /^<svg /],
])("the ending of %s says the format", async (name, beginning) => {
  const folder = newFolder();
  const { code, stdout } = await graph(["-f", quickstart, "--view", "network", "-o", name], folder);
  expect([code, stdout]).toEqual([0, `✓ ${name}   3 machines in 1 network\n`]);
  expect(readFileSync(path.join(folder, name), "utf8")).toMatch(beginning);
});

test("--format wins over the ending, and - is standard output", async () => {
  const { stdout } = await graph(["-f", quickstart, "--format", "d2", "-o", "-"]);
  expect(stdout).toMatch(/^# Topology/);
});

test("--json tells what --format json says, in its first line, with the file that was written", async () => {
  const folder = newFolder();
  const printed = await graph(["-f", quickstart, "--json"], folder);
  const { stdout: pretty } = await graph(["-f", quickstart, "--format", "json"], folder);
  expect(jsonLines(printed.stdout).map(({ type }) => type)).toEqual(["graph", "done"]);
  expect(firstLine(printed.stdout)).toMatchObject(JSON.parse(pretty) as object);
  expect(readdirSync(folder)).toEqual([]);
  const written = await graph(["-f", quickstart, "--json", "-o", "lab.svg"], folder);
  expect(firstLine(written.stdout)).toMatchObject({ ...JSON.parse(pretty), file: "lab.svg", format: "svg" });
  expect(readFileSync(path.join(folder, "lab.svg"), "utf8")).toMatch(/^<svg /);
});

test("one cluster of several is drawn by its name", async () => {
  const { stdout } = await ofExample("fleet.mjs", "oslo", "--json");
  expect(firstLine(stdout)).toMatchObject({ shown: ["oslo"], clusters: [{ name: "oslo" }] });
});

test.each([
  [["-f", quickstart, "nope"], 2, "SPEC_UNKNOWN_CLUSTER", "the file holds quickstart"],
  [["-f", quickstart, "--view", "steps", "--from", "cluster"], 2, "RUN_NOT_A_PICTURE", "--from plan"],
  [["-f", quickstart, "-o", "missing/lab.svg"], 1, "RUN_OUTPUT_NOT_WRITTEN", "Choose another place with -o"],
  [["-f", "nothing.yaml"], 2, "SPEC_NO_FILE", "next"],
  [
    ["-f", quickstart, "--view", "map"],
    2,
    "RUN_NOT_UNDERSTOOD",
    "Allowed choices are topology, network, steps",
  ],
])("slipway graph %j ends with %i and says what to do", async (args, exitCode, errorCode, text) => {
  const { code, stdout, stderr } = await graph(args);
  expect([code, stdout]).toEqual([exitCode, ""]);
  expect(stderr).toContain(errorCode);
  expect(stderr.replaceAll(/\s+/g, " ")).toContain(text);
});

test("hosts that cannot be asked end a picture of what exists, and one of the plan, with the reason", async () => {
  const folder = newFolder();
  const text = readFileSync(quickstart, "utf8").replace("https://192.168.1.10:8006", "https://127.0.0.1:1");
  writeFileSync(path.join(folder, "slipway.yaml"), text);
  for (const from of ["cluster", "plan"]) {
    const { code, stderr } = await inProcess(folder, ["graph", "--from", from], { PVE_TOKEN: "x" });
    expect(code).toBe(1);
    expect(stderr).toContain("RUN_HOSTS_SILENT");
    expect(stderr).toContain("next");
  }
  expect(existsSync(path.join(folder, "slipway-topology.svg"))).toBe(false);
});
