import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import { fleetOf } from "../../test/support/rehearsal-site.ts";
import { realClock, realRandom } from "../lib/index.ts";
import { parseBundle, secretStore } from "../secrets/index.ts";
import { exportTalhelper } from "./export.ts";

const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-export-"));
afterAll(() => rm(folder, { recursive: true }));
const world = { folder, wall: realClock, random: realRandom };

const fleet = fleetOf(`version: 1
hosts:
  hydra:
    proxmox:
      url: https://10.8.0.1:8006
      token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } }
clusters:
  lab:
    network: { cidr: 10.8.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 3, address: .10 }
    workers: { count: 1, address: .20, labels: { tier: back } }
    patches:
      - machine: { sysctls: { vm.max_map_count: "262144" } }
      - machine: { env: { HOME_OF: "\${HOME}" } }
`);

test("exportTalhelper() refuses a cluster whose secrets are not known", async () => {
  await expect(exportTalhelper({ fleet, selection: {} }, world)).rejects.toMatchObject({
    code: "RUN_NOT_UP_YET",
  });
});

test("exportTalhelper() writes the cluster and its secrets as talhelper reads them", async () => {
  const store = secretStore({ folder, clock: realClock, random: realRandom });
  const { bundle } = await store.ensure("lab");
  const [config, secret] = await exportTalhelper({ fleet, selection: { cluster: "lab" } }, world);
  expect([config?.name, secret?.name]).toEqual(["talconfig.yaml", "talsecret.yaml"]);
  expect(parseBundle(secret?.text ?? "", "talsecret.yaml")).toEqual(bundle);
  expect(config?.text).not.toContain(bundle.clusterSecret);
  const talconfig = parse(config?.text ?? "") as {
    patches: string[];
    nodes: { hostname: string; networkInterfaces: object[]; patches: string[]; nodeLabels?: object }[];
  };
  expect(talconfig).toMatchObject({
    clusterName: "lab",
    endpoint: "https://10.8.0.9:6443",
    additionalApiServerCertSans: ["10.8.0.9", "10.8.0.10", "10.8.0.11", "10.8.0.12"],
  });
  expect(talconfig.patches.map((text) => parse(text) as object)).toEqual([
    { machine: { sysctls: { "vm.max_map_count": "262144" } } },
    { machine: { env: { HOME_OF: "$${HOME}" } } },
  ]);
  const [first, , , worker] = talconfig.nodes;
  expect(first?.networkInterfaces[0]).toMatchObject({ addresses: ["10.8.0.10/24"], vip: { ip: "10.8.0.9" } });
  expect(worker?.networkInterfaces[0]).not.toHaveProperty("vip");
  expect(worker?.nodeLabels).toEqual({ tier: "back" });
  expect(worker?.patches.join("")).toContain("10.8.0.0/24");
});
