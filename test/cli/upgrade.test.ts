import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectGolden } from "../support/golden.ts";
import { typedSite, type TypedSite } from "../support/sim/sim-site.ts";
import { firstLine } from "../support/screens/json-lines.ts";

/** `slipway upgrade` as typed: what it offers, what it writes into the file, and what it then does. */

const testdata = path.join(import.meta.dirname, "testdata/upgrade");
const versions = "    talos: { version: 1.12.11 } # not 1.13 yet\n    kubernetes: 1.35.4\n";
let site: TypedSite;

beforeAll(async () => {
  site = await typedSite({ net: "127.41.30", workers: 1, extra: versions });
  const first = await site.type(["up", "--json"]);
  expect(first.code, first.stderr).toBe(0);
});
afterAll(() => site?.[Symbol.asyncDispose]());

const text = (): Promise<string> => readFile(site.file, "utf8");

test("--check tells what runs and what may come, and changes nothing", async () => {
  const before = await text();
  const checked = await site.type(["upgrade", "--check"]);
  expect(checked.code, checked.stderr).toBe(0);
  expectGolden(checked.stdout, testdata, "check.txt");
  const asData = await site.type(["upgrade", "--check", "--json"]);
  expect(firstLine(asData.stdout)).toMatchObject({
    type: "upgrade",
    cluster: "lab",
    versions: [
      { name: "talos", running: "1.12.11", target: "1.13.9" },
      { name: "kubernetes", running: "1.35.4", target: "1.36.3" },
    ],
  });
  expect(await text()).toBe(before);
});

test.each([
  ["goes back", ["--talos", "1.12.10"], "TALOS_VERSION_SETTLED", "talos-back.txt"],
  ["is none of its own", ["--k3s", "1.36"], "RUN_NOT_ITS_VERSION", "not-its-version.txt"],
  ["takes Kubernetes back", ["--kubernetes", "1.34.1"], "TALOS_KUBERNETES_SETTLED", "kubernetes-back.txt"],
])("a version that %s is refused, and the file stays as it was", async (_what, asked, code, golden) => {
  const before = await text();
  const refused = await site.type(["upgrade", ...asked, "--yes"]);
  expect(refused.code).toBe(2);
  expect(`${refused.stdout}${refused.stderr}`).toContain(code);
  expect(await text()).toBe(before);
  expectGolden(refused.stderr.replaceAll(site.folder, "."), testdata, golden);
});

test("without --yes and without a terminal nothing is done, and the file stays as it was", async () => {
  const before = await text();
  const asked = await site.type(["upgrade"]);
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("RUN_NOT_CONFIRMED")]);
  expect(await text()).toBe(before);
});

test("it writes the newest allowed versions into the file, keeps its comments, and brings the nodes there", async () => {
  const before = await text();
  const upgraded = await site.type(["upgrade", "lab", "--yes"]);
  expect(upgraded.code, upgraded.stderr).toBe(0);
  expect(await text()).toBe(before.replace("1.12.11", "1.13.9").replace("1.35.4", "1.36.3"));
  const status = await site.type(["status"]);
  expect(status.stdout).toContain("Talos 1.13.9  K8s 1.36.3");
  expect((await site.type(["plan"])).stdout).toContain("no changes");
});
