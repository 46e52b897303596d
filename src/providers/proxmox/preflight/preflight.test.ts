import { expect, test } from "vitest";
import {
  emptySurvey,
  proxmoxSite,
  siteCluster,
  siteHost,
  siteStorages,
  siteNode,
  type ProxmoxSite,
  type ProxmoxSiteOptions,
} from "../../../../test/support/proxmox/site.ts";
import { connectProxmox } from "../../../clients/proxmox/index.ts";
import { realClock, dialDirect } from "../../../lib/index.ts";
import type { Finding } from "../../../plan/index.ts";
import type { Cluster, LinuxDistribution, ProxmoxHost, Node } from "../../../spec/index.ts";
import { proxmoxProvider } from "../index.ts";

interface Asked {
  host?: ProxmoxHost;
  node?: Partial<Node>;
  cluster?: Partial<Cluster>;
}

/** Runs every check and gives the findings by name. */
async function preflight(site: ProxmoxSite, asked: Asked = {}): Promise<Map<string, Finding>> {
  const host = asked.host ?? siteHost("one", "pve1");
  const node = siteNode("cp-1", asked.node);
  const provider = site.freshProvider([host]);
  const survey = await provider.survey(site.ctx, [host]);
  const checks = provider.preflight(siteCluster([node], asked.cluster), [{ node, host, id: 2000 }], survey);
  const findings = await Promise.all(
    checks.map(async (check) => [check.id, await check.run(site.ctx)] as const),
  );
  return new Map(findings.toReversed());
}

test("everything passes on a datacenter that has what is needed", async () => {
  await using site = await proxmoxSite();
  const findings = await preflight(site);
  expect([...findings].filter(([, finding]) => finding.status !== "ok")).toEqual([]);
  expect([...findings.keys()].toSorted()).toEqual([
    "proxmox-api",
    "proxmox-bridge",
    "proxmox-clock",
    "proxmox-cores",
    "proxmox-disks-storage",
    "proxmox-image-url",
    "proxmox-images-storage",
    "proxmox-memory",
    "proxmox-node",
    "proxmox-processor",
    "proxmox-quorum",
    "proxmox-rights",
    "proxmox-space",
    "proxmox-tags",
    "proxmox-tls",
    "proxmox-token",
    "proxmox-vmids",
  ]);
  expect(findings.get("proxmox-memory")).toMatchObject({ needed: "2 GiB" });
});

const linux: LinuxDistribution = {
  kind: "linux",
  architecture: "amd64",
  image: { url: "https://images.example.org/noble-server-cloudimg-amd64.img" },
  user: "ubuntu",
  keys: [],
  packages: [],
  files: [],
  commands: [],
  firstContact: "console",
};

test.each(["talos", "linux"] as const)(
  "a server that opens no console for a token is too old for new machines of %s, unless the file trusts them",
  async (kind) => {
    await using site = await proxmoxSite({ version: "8.4" });
    const { distribution: talos } = siteCluster([siteNode("cp-1")]);
    const distribution = (firstContact: "console" | "trust"): Cluster["distribution"] =>
      kind === "talos" && talos.kind === "talos" ? { ...talos, firstContact } : { ...linux, firstContact };
    const old = await preflight(site, { cluster: { distribution: distribution("console") } });
    expect(old.get("proxmox-token")?.error).toMatchObject({
      code: "PVE_CONSOLE_TOO_OLD",
      else: expect.stringContaining(`${kind}: { firstContact: trust }`) as string,
    });
    const trusting = await preflight(site, { cluster: { distribution: distribution("trust") } });
    expect(trusting.get("proxmox-token")?.status).toBe("ok");
  },
);

test("what a pool or the network names wrongly is shown there, not at the host", async () => {
  await using site = await proxmoxSite();
  const at = { file: "fleet.yaml", line: 31, column: 5, path: "clusters.lab.workers" };
  const network = { ...siteCluster([]).network, bridge: "vmbr9" };
  const byPool = await preflight(site, { node: { storage: "nope", at } });
  const byCluster = await preflight(site, { cluster: { network, at } });
  expect(byPool.get("proxmox-disks-storage")?.error).toMatchObject({
    code: "PVE_STORAGE_MISSING",
    at,
    next: "Name an existing storage under storage: in control-planes",
  });
  expect(byCluster.get("proxmox-bridge")?.error).toMatchObject({ code: "PVE_BRIDGE_MISSING", at });
});

const vm = `vms: { "2000": { node: pve1, config: { name: precious, memory: 512 } } }`;
const noImport = `  local: { type: dir, size: 100GiB, content: [iso] }
  fast: { type: lvmthin, size: 500GiB, content: [images] }`;

test.each<[string, string, Asked, ProxmoxSiteOptions, string, RegExp]>([
  [
    "an unknown node",
    "proxmox-node",
    { host: siteHost("one", "pve9") },
    {},
    "PVE_NODE_MISSING",
    /Write node: pve1/,
  ],
  [
    "an unknown bridge",
    "proxmox-bridge",
    { cluster: { network: { ...siteCluster([]).network, bridge: "vmbr9" } } },
    {},
    "PVE_BRIDGE_MISSING",
    /vmbr0/,
  ],
  [
    "a storage without import content",
    "proxmox-images-storage",
    {},
    { storages: noImport },
    "PVE_STORAGE_CONTENT",
    /pvesm set local --content import,iso/,
  ],
  [
    "an unknown storage",
    "proxmox-disks-storage",
    { host: siteHost("one", "pve1", { storage: siteStorages({ disks: "nope" }) }) },
    {},
    "PVE_STORAGE_MISSING",
    /existing storage/,
  ],
  ["a VMID in use", "proxmox-vmids", {}, { datacenter: vm }, "PVE_VMID_TAKEN", /another vmid/],
  [
    "too little memory",
    "proxmox-memory",
    { node: { memoryMiB: 64 * 1024 } },
    {},
    "PVE_MEMORY_SHORT",
    /Free .* GiB/,
  ],
  [
    "more cores than the host has",
    "proxmox-cores",
    { node: { cores: 16 } },
    {},
    "PVE_CORES_SHORT",
    /cores: 8 or fewer/,
  ],
  [
    "a disk larger than the storage",
    "proxmox-space",
    { node: { diskGiB: 900 } },
    {},
    "PVE_STORAGE_FULL",
    /Free 400 GiB/,
  ],
  [
    "an unknown pool",
    "proxmox-pool",
    { host: siteHost("one", "pve1", { pool: "nope" }) },
    {},
    "PVE_POOL_MISSING",
    /pveum pool add nope/,
  ],
])("%s is found, with its fix", async (_what, id, asked, options, code, next) => {
  await using site = await proxmoxSite(options);
  const finding = (await preflight(site, asked)).get(id);
  expect(finding).toMatchObject({ status: "failed", error: { code } });
  expect(finding?.error?.next).toMatch(next);
});

test("missing rights are named with the commands that grant them", async () => {
  await using site = await proxmoxSite({
    token: "poor@pve!main",
    acl: `  - { path: /nodes, role: PVEAuditor, user: "poor@pve" }`,
  });
  const finding = (await preflight(site)).get("proxmox-rights");
  expect(finding?.error).toMatchObject({ code: "PVE_RIGHTS_MISSING" });
  expect(finding?.error?.why).toContain("VM.Allocate");
  expect(finding?.error?.why).toContain("Sys.AccessNetwork on /nodes/pve1");
  expect(finding?.error?.why).not.toContain("Sys.Audit");
  expect(finding?.error?.next).toBe("slipway proxmox grant one");
  expect(finding?.error?.else).toContain(
    "pveum acl modify /vms --users poor@pve --tokens 'poor@pve!main' --roles SlipwayMachines",
  );
});

test("a server that cannot be asked is one failure; the other checks stay out", async () => {
  const client = connectProxmox({
    url: "https://127.0.0.1:1",
    token: { id: "a@pve!b", secret: "s" },
    trust: { insecure: true },
    dial: dialDirect,
    clock: { ...realClock, sleep: async () => undefined },
  });
  const host = siteHost("one", "pve1");
  const provider = proxmoxProvider({ connect: async () => client }).open([host]);
  const node = siteNode("cp-1");
  const empty = emptySurvey();
  const checks = provider.preflight(siteCluster([node]), [{ node, host, id: 2000 }], empty);
  await using site = await proxmoxSite();
  const findings = await Promise.all(checks.map((check) => check.run(site.ctx)));
  expect(findings[0]).toMatchObject({ status: "failed", error: { code: "PVE_UNREACHABLE" } });
  const others = findings.slice(1).filter((finding) => finding.status !== "skipped");
  expect(others.map((finding) => finding.status)).toEqual(["ok"]);
});
