import { expect, test } from "vitest";
import {
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNeeds,
  siteNode,
} from "../../../../test/support/proxmox/site.ts";
import type { Cluster, GuestSystem, LinuxDistribution } from "../../../spec/index.ts";

const system: GuestSystem = {
  architecture: "amd64",
  image: { url: "https://images.example.org/noble-server-cloudimg-amd64.img" },
  user: "ubuntu",
  keys: [{ text: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ somebody" }],
  packages: [],
  files: [],
  commands: [],
  firstContact: "console",
};

const node = siteNode("web-1");
const plain: LinuxDistribution = { kind: "linux", ...system };
const clusterOf = (more: Partial<Cluster>): Cluster => {
  const made = siteCluster([node], { distribution: plain, ...more });
  return { ...made, network: { ...made.network, searchDomains: ["example.com", "lab.example.com"] } };
};

const placed = [{ node, host: siteHost("one", "pve1"), id: 401 }];

test("a machine from a cloud image is told its user, keys and search domains, and is then as wanted", async () => {
  await using site = await proxmoxSite({});
  const graph = site.provider.describe(clusterOf({}), placed, siteNeeds());
  expect(graph.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    "proxmox/image image on one",
    "proxmox/machine machine web-1",
  ]);
  expect(graph[0]?.facts).toEqual({ image: "noble-server-cloudimg-amd64.img" });
  for (const each of graph) await site.resource(each.kind).create(site.ctx, each.want);
  const config = await site.client.machineConfig({ node: "pve1", vmid: 401 });
  expect(config).toMatchObject({
    ciuser: "ubuntu",
    ciupgrade: "0",
    searchdomain: "example.com lab.example.com",
  });
  // Plain Linux is no Kubernetes [proxmox 11].
  expect(config["description"]).toContain("Node web-1 (worker) of cluster lab, made by Slipway");
  expect(decodeURIComponent(config["sshkeys"] ?? "").split("\n")).toEqual([
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ somebody",
    `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK ${clusterOf({}).name}`,
    "",
  ]);
  const machine = graph[1];
  const resource = site.resource("proxmox/machine");
  expect(resource.compare(machine?.want, await resource.read(site.ctx, machine?.want))).toEqual({
    same: true,
  });
});

test("so is a clone of somebody else's template", async () => {
  await using site = await proxmoxSite({
    datacenter: `vms: { "400": { node: pve1, config: { name: ubuntu-2404, template: 1, scsi0: "fast:base-400-disk-0,size=2G", ide2: "fast:vm-400-cloudinit,media=cdrom", boot: "order=scsi0", ciuser: somebody } } }
images: [{ storage: fast, node: pve1, file: base-400-disk-0, size: 2GiB }]`,
    storages: `  local: { type: dir, size: 100GiB, content: [iso, import] }
  fast: { type: lvmthin, size: 500GiB, content: [images] }`,
  });
  const cluster = clusterOf({ bootSource: { kind: "existing", vmid: 400, clone: "auto" } });
  const [machine] = site.provider.describe(cluster, placed, siteNeeds());
  await site.resource("proxmox/machine").create(site.ctx, machine?.want);
  const config = await site.client.machineConfig({ node: "pve1", vmid: 401 });
  expect(config).toMatchObject({ ciuser: "ubuntu", ipconfig0: expect.stringContaining("ip=") as string });
  expect(config["ide2"]).toContain("cloudinit");
});
