import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { firstLine } from "../support/screens/json-lines.ts";

const program = path.resolve(import.meta.dirname, "../../bin/slipway.js");
const folder = mkdtempSync(path.join(tmpdir(), "slipway-program-"));
afterAll(() => rmSync(folder, { recursive: true }));

function validate(file: string, text: string, ...flags: string[]) {
  writeFileSync(path.join(folder, file), text);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [program, "validate", "-f", file, ...flags],
    { cwd: folder, encoding: "utf8" },
  );
  return { status, stdout, stderr };
}

const fleet = (vip: string): string => `{
  version: 1,
  hosts: { hydra: { proxmox: {
    url: "https://192.168.1.10:8006",
    token: { id: "slipway@pve!main", secret: { env: "PVE_TOKEN" } },
  } } },
  clusters: { lab: {
    network: { cidr: "192.168.1.0/24", gateway: ".1", vip: "${vip}" },
    controlPlanes: { count: 3, address: ".101" },
  } },
}`;

test("a cluster file may be a program", () => {
  const found = validate("fleet.mjs", `export default ${fleet(".100")};\n`);
  expect(found).toMatchObject({ status: 0, stderr: "" });
  expect(found.stdout).toContain("✓ fleet.mjs   1 cluster, 3 nodes, 1 host");
});

test("a program may promise its fleet", () => {
  expect(validate("later.mjs", `export default Promise.resolve(${fleet(".100")});\n`)).toMatchObject({
    status: 0,
  });
});

test("problems of a program name the path of the value, for people and for programs", () => {
  const text = `export default ${fleet(".101")};\n`;
  const { status, stderr } = validate("wrong.mjs", text);
  expect(status).toBe(2);
  expect(stderr).toContain("✗ wrong.mjs   1 problem\n\n  clusters.lab.network.vip\n");
  expect(stderr).toContain("(clusters.lab.controlPlanes.address)");
  expect(firstLine(validate("wrong.mjs", text, "--json").stdout)).toMatchObject({
    v: 1,
    type: "problem",
    code: "SPEC_ADDRESS_TWICE",
    file: "wrong.mjs",
    path: "clusters.lab.network.vip",
    what: expect.stringContaining("192.168.1.101") as string,
    next: expect.any(String) as string,
  });
});

test.each([
  ["broken.mjs", "export default nothing;\n", "SPEC_MODULE_BROKEN", "nothing is not defined"],
  ["lost.mjs", 'import "slipway-of-nobody";\n', "SPEC_MODULE_BROKEN", "Install what it imports beside it"],
  ["empty.mjs", "export const fleet = {};\n", "SPEC_MODULE_WITHOUT_FLEET", "export default defineFleet("],
])("%s is refused with a way out", (file, text, code, says) => {
  const { status, stderr } = validate(file, text);
  expect(status).toBe(2);
  expect(stderr).toContain(code);
  expect(stderr.replaceAll(/\s+/g, " ")).toContain(says);
});

// Node 20 does not know the question.
const stripsTypes = "typescript" in process.features && process.features.typescript !== false;

test("TypeScript is read where Node reads it, and refused with a way out elsewhere", () => {
  const text = `const site: string = ".100";\nexport default ${fleet("${site}").replace('"${site}"', "site")};\n`;
  const found = validate("fleet.ts", text);
  const expected = stripsTypes ? [0, "✓ fleet.ts"] : [2, "save the file as .mjs"];
  expect([found.status, found.stdout + found.stderr]).toEqual([
    expected[0],
    expect.stringContaining(String(expected[1])),
  ]);
});
