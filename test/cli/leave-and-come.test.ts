import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { realClock, realRandom } from "../../src/lib/index.ts";
import { createBundle, writeBundle } from "../../src/secrets/index.ts";
import { inProcess } from "../support/screens/in-process.ts";
import { firstLine } from "../support/screens/json-lines.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-leave-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => path.join(folder, name);

/** Nobody listens at these addresses. */
const file = `version: 1
hosts:
  hydra:
    proxmox:
      url: https://127.61.0.250:8006
      token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } }
clusters:
  lab:
    network: { cidr: 127.61.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, address: .10 }
    workers: { count: 1, address: .20 }
`;

const slipway = (...args: string[]) => inProcess(folder, args);

beforeAll(async () => {
  writeFileSync(at("slipway.yaml"), file);
  const bundle = await createBundle({ clock: realClock, random: realRandom, rsaBits: 2048 });
  writeFileSync(at("mine.yaml"), writeBundle(bundle));
});

test("export refuses a cluster without secrets and an unknown format", async () => {
  expect(await slipway("export", "talhelper")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("slipway adopt lab"),
  });
  expect((await slipway("export", "helm")).code).toBe(2);
});

test("adopt wants one source, a cluster of the file and a whole secrets file", async () => {
  expect((await slipway("adopt", "lab")).code).toBe(2);
  expect((await slipway("adopt", "lab", "--secrets", "mine.yaml", "--talosconfig", "t")).code).toBe(2);
  expect((await slipway("adopt", "other", "--secrets", "mine.yaml")).code).toBe(2);
  expect(await slipway("adopt", "lab", "--secrets", "slipway.yaml")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("SECRETS_DAMAGED"),
  });
});

test("adopt keeps the secrets and tells which nodes answer, then export has what it needs", async () => {
  const adopted = await slipway("adopt", "lab", "--secrets", "mine.yaml");
  expect(adopted.code, adopted.stderr).toBe(0);
  expect(adopted.stdout).toContain("worker-1   127.61.0.20   does not answer");
  expect(adopted.stdout).toContain("0 of 2 nodes of the file answer");
  expect(readFileSync(at(".slipway/lab/secrets.yaml"), "utf8")).toBe(readFileSync(at("mine.yaml"), "utf8"));
  const again = await slipway("adopt", "lab", "--secrets", "mine.yaml", "--json");
  expect(firstLine(again.stdout)).toMatchObject({ type: "adopted", isNew: false });

  const exported = await slipway("export", "talhelper", "lab", "-o", "out");
  expect(exported.code, exported.stderr).toBe(0);
  expect(readFileSync(at("out/talconfig.yaml"), "utf8")).toMatch(/^clusterName: lab\ntalosVersion: v/);
  for (const name of ["talconfig.yaml", "talsecret.yaml"])
    expect(statSync(at(`out/${name}`)).mode & 0o777).toBe(0o600);
  expect((await slipway("export", "talhelper", "lab", "-o", "out")).code).toBe(2);
  expect((await slipway("export", "talhelper", "lab", "-o", "out", "--force")).code).toBe(0);
});
