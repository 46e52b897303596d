import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import { fleetOf, rehearsalSite } from "../../test/support/sim/rehearsal-site.ts";
import { run, talosctls } from "../../test/support/talos/talosctls.ts";
import { realClock, realRandom } from "../lib/index.ts";
import { parseBundle, plainFiles, secretStore } from "../secrets/index.ts";
import { exportDnsmasq, exportTalhelper, exportTerraform } from "./export.ts";
import { peers } from "../../test/support/peers.ts";

const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-export-"));
afterAll(() => rm(folder, { recursive: true }));
const world = { folder, secretFiles: plainFiles(folder, realRandom), wall: realClock, random: realRandom };

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

// What talhelper does with these files, done with talosctl: base config, interfaces, then the patches in their order.
// lab/build-talosctl.sh [VERSION] builds the programs.
const program = talosctls.find(({ minor }) => minor === 13);
test.skipIf(!program)(
  "real talosctl takes the export's parts and finds the result valid",
  peers,
  async () => {
    if (!program) throw new Error("no talosctl");
    await secretStore({ folder, clock: realClock, random: realRandom }).ensure("lab");
    const [config, secret] = await exportTalhelper({ fleet, selection: { cluster: "lab" } }, world);
    const talconfig = parse(config?.text ?? "") as {
      talosVersion: string;
      kubernetesVersion: string;
      endpoint: string;
      patches: string[];
      nodes: {
        controlPlane: boolean;
        networkInterfaces: object[];
        patches: string[];
        talosImageURL: string;
      }[];
    };
    await writeFile(path.join(folder, "talsecret.yaml"), secret?.text ?? "");
    for (const node of [talconfig.nodes[0], talconfig.nodes[3]]) {
      if (!node) throw new Error("no node");
      const network = JSON.stringify({ machine: { network: { interfaces: node.networkInterfaces } } });
      const patches = [network, ...talconfig.patches, ...node.patches].flatMap((text) => [
        "--config-patch",
        text,
      ]);
      const made = path.join(folder, `${node.controlPlane}.yaml`);
      const generated = await run(
        program,
        ...[
          "gen",
          "config",
          "lab",
          talconfig.endpoint,
          "--with-secrets",
          path.join(folder, "talsecret.yaml"),
        ],
        ...["--talos-version", talconfig.talosVersion, "--kubernetes-version", talconfig.kubernetesVersion],
        ...["--install-image", `${node.talosImageURL}:${talconfig.talosVersion}`, "-o", made, ...patches],
        ...["--output-types", node.controlPlane ? "controlplane" : "worker", "--with-docs=false"],
      );
      expect(generated.isDone, generated.stderr).toBe(true);
      const checked = await run(program, "validate", "--mode", "cloud", "--config", made);
      expect(checked.isDone, checked.stderr).toBe(true);
    }
  },
);

test("exportDnsmasq() writes a file per cluster, with the MACs its machines will have", () => {
  const reserved = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    network: { cidr: 10.8.0.0/22, gateway: .1, dhcp: true, ntp: [.1, time.cloudflare.com], search: lab.example.org }
    controlPlanes: { count: 1, address: .10, mac: "02:a1:b2:c3:01:01" }
    workers: { count: 2, address: .20 }
  other:
    network: { cidr: 10.9.0.0/26 }
    controlPlanes: { count: 1, address: .10 }
`);
  const [lab, other, ...more] = exportDnsmasq({ fleet: reserved, selection: {} });
  expect([lab?.name, other?.name, more.length]).toEqual(["lab.conf", "other.conf", 0]);
  expect(lab?.text).toContain("dhcp-range=set:lab,10.8.0.0,static,255.255.252.0\n");
  expect(lab?.text).toContain("dhcp-option=tag:lab,option:ntp-server,10.8.0.1\n");
  expect(lab?.text).toContain("domain=lab.example.org,10.8.0.0/22\n");
  expect(other?.text).toContain(",static,255.255.255.192\n");
  const hosts = reserved.clusters[0]?.nodes.map(
    ({ mac, address, name }) => `dhcp-host=${mac},${address},${name}`,
  );
  expect(hosts?.[0]).toBe("dhcp-host=02:a1:b2:c3:01:01,10.8.0.10,cp-1");
  expect(lab?.text.split("\n").filter((line) => line.startsWith("dhcp-host"))).toEqual(hosts);
});

test("exportTerraform() writes the machines that exist, with what imports them", async () => {
  await using site = await rehearsalSite(fleet);
  const asked = site.rehearsal.world(AbortSignal.timeout(60_000), () => {});
  const request = { fleet, selection: {} };
  await expect(exportTerraform(request, asked)).rejects.toMatchObject({ code: "RUN_NO_MACHINES" });
  await site.up(fleet, { until: "machines" });
  const [main, ignored] = await exportTerraform(request, asked);
  expect(main?.text.match(/^ {2}id = .*$/gm)).toEqual([
    `  id = "hydra/2000"`,
    `  id = "hydra/2001"`,
    `  id = "hydra/2002"`,
    `  id = "hydra/3000"`,
  ]);
  expect(main?.text).toContain(
    'resource "proxmox_virtual_environment_vm" "worker-1" {\n  node_name     = "hydra"\n',
  );
  expect(main?.text).toContain('address = "10.8.0.20/24"');
  expect(main?.text).toContain("api_token = var.proxmox_token");
  expect(main?.text).toContain("prevent_destroy = true");
  expect(ignored).toMatchObject({ name: ".gitignore", text: expect.stringContaining("*.tfstate") });
});
