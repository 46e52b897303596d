import { expect, test } from "vitest";
import {
  emptySurvey,
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNeeds,
  siteNode,
  siteStorages,
  type ProxmoxSite,
  type ProxmoxSiteOptions,
} from "../../../../test/support/proxmox/site.ts";
import type { GraphNode, PlacedNode } from "../../../plan/index.ts";
import { compareHa, type HaHave, type HaWant } from "./ha-want.ts";
import type { ProxmoxHost } from "../../../spec/index.ts";

const storage = siteStorages({ disks: "ceph" });
const one = siteHost("one", "pve1", { storage });
const two = siteHost("two", "pve2", { storage });
const nodes = [
  siteNode("cp-1"),
  siteNode("cp-2", { address: "10.1.0.12", mac: "02:aa:bb:cc:dd:02" }),
  siteNode("worker-1", { address: "10.1.0.21", mac: "02:aa:bb:cc:dd:03" }),
];
const cluster = siteCluster(nodes, { on: ["one", "two"], isHighlyAvailable: true });
const placed: PlacedNode<ProxmoxHost>[] = nodes.map((node, index) => ({
  node,
  host: index % 2 === 0 ? one : two,
  id: 2000 + index,
}));

const shared = `  local: { type: dir, size: 100GiB, content: [iso, import] }
  fast: { type: lvmthin, size: 500GiB, content: [images] }
  ceph: { type: rbd, size: 500GiB, content: [images], shared: true }`;

async function siteWithMachines(
  options: ProxmoxSiteOptions = {},
): Promise<ProxmoxSite & { ha: GraphNode<HaWant> }> {
  const site = await proxmoxSite({ storages: shared, hosts: [one, two], ...options });
  let ha: GraphNode<HaWant> | undefined;
  for (const node of site.provider.describe(cluster, placed, siteNeeds())) {
    if (node.kind === "proxmox/ha") ha = node as GraphNode<HaWant>;
    else await site.resource(node.kind).create(site.ctx, node.want);
  }
  if (!ha) throw new Error("no high availability was described");
  return Object.assign(site, { ha });
}

const state = (site: ProxmoxSite) => site.proxmox.state().ha;
const versions = ["9.2", "8.4"] as const;

test.each(versions)(
  "on Proxmox %s machines come under high availability, and then nothing differs",
  async (version) => {
    await using site = await siteWithMachines({ version });
    const resource = site.resource("proxmox/ha");
    expect(await resource.read(site.ctx, site.ha.want)).toBeUndefined();
    await resource.create(site.ctx, site.ha.want);
    expect(Object.keys(state(site).resources)).toEqual(["vm:2000", "vm:2001", "vm:2002"]);
    const { rules, groups, resources } = state(site);
    const isNew = version === "9.2";
    expect({ rule: rules["slipway-lab"], nodes: groups["slipway-lab"]?.nodes }).toMatchObject(
      isNew
        ? { rule: { affinity: "negative", resources: ["vm:2000", "vm:2001"] } }
        : { rule: undefined, nodes: "pve1,pve2" },
    );
    expect(resources["vm:2002"]?.group).toBe(isNew ? undefined : "slipway-lab");
    expect(resource.compare(site.ha.want, await resource.read(site.ctx, site.ha.want))).toEqual({
      same: true,
    });
  },
);

test.each(versions)("on Proxmox %s what somebody undid is seen and repaired", async (version) => {
  await using site = await siteWithMachines({ version });
  const resource = site.resource("proxmox/ha");
  await resource.create(site.ctx, site.ha.want);
  delete state(site).resources["vm:2002"];
  const ignored = state(site).resources["vm:2001"];
  if (ignored) ignored.state = "ignored";
  const rule = state(site).rules["slipway-lab"];
  if (rule) rule.disable = true;
  const group = state(site).groups["slipway-lab"];
  if (group) group.nodes = "pve1";
  const have = await resource.read(site.ctx, site.ha.want);
  const difference = compareHa(site.ha.want, have as HaHave);
  expect(difference).toMatchObject({
    action: "update",
    consequence: "disturb",
    fields: [
      { field: "cp-2", from: "ignored", to: "managed" },
      { field: "worker-1", from: "not managed", to: "managed" },
      version === "9.2"
        ? { field: "anti-affinity", from: "rule switched off", to: "cp-1, cp-2" }
        : { field: "hosts", from: "pve1", to: "pve1, pve2" },
    ],
  });
  await resource.update(site.ctx, site.ha.want, have);
  expect(resource.compare(site.ha.want, await resource.read(site.ctx, site.ha.want))).toEqual({ same: true });
});

test.each(versions)(
  "on Proxmox %s a change that needs a restart goes through the manager, and so does the start after it",
  async (version) => {
    await using site = await siteWithMachines({ version });
    await site.resource("proxmox/ha").create(site.ctx, site.ha.want);
    const grown = { ...nodes[2], memoryMiB: 3072 } as (typeof nodes)[number];
    const again = placed.map((each) => (each.node.name === "worker-1" ? { ...each, node: grown } : each));
    const machine = site.provider
      .describe({ ...cluster, nodes: again.map((each) => each.node) }, again, siteNeeds())
      .find((node) => node.id === "lab/machine/worker-1");
    const resource = site.resource("proxmox/machine");
    await resource.update(site.ctx, machine?.want, await resource.read(site.ctx, machine?.want));
    const vm = site.proxmox.state().vms["2002"];
    expect(vm?.config["memory"]).toBe("3072");
    expect(vm?.running).toBeTruthy();
    const tasks = site.proxmox.state().tasks.map((task) => task.type);
    expect(tasks).toContain("hastop");
    expect(tasks).toContain("hastart");
  },
);

test.each(versions)(
  "on Proxmox %s it is switched off with ha: false, and goes with the cluster",
  async (version) => {
    await using site = await siteWithMachines({ version });
    const resource = site.resource("proxmox/ha");
    await resource.create(site.ctx, site.ha.want);
    const survey = await site.provider.survey(site.ctx, [one, two]);
    expect(survey.machines.map((machine) => machine.isHaManaged)).toEqual([true, true, true]);

    const { isHighlyAvailable: _off, ...plain } = cluster;
    const [off] = site.provider
      .describe(plain, placed, siteNeeds(survey))
      .filter((node) => node.kind === "proxmox/ha");
    const have = await resource.read(site.ctx, off?.want);
    expect(resource.compare(off?.want, have)).toMatchObject({
      fields: [{ field: "high availability", from: "3 machines", to: "off" }],
    });

    const leftovers = site.provider.describeLeftovers(survey, () => true, new Set(), {
      losesData: false,
      clusters: ["lab"],
      areLeftovers: true,
    });
    expect(leftovers[0]).toMatchObject({ id: "lab/ha/one", kind: "proxmox/ha" });
    expect(leftovers.find((node) => node.id === "lab/machine/cp-1")?.after).toContain("lab/ha/one");
    await resource.remove(site.ctx, await resource.read(site.ctx, leftovers[0]?.want));
    expect(state(site)).toEqual({ resources: {}, rules: {}, groups: {} });
    expect(await resource.read(site.ctx, leftovers[0]?.want)).toBeUndefined();
  },
);

test("a rule of the same name that somebody else made is left alone", async () => {
  await using site = await siteWithMachines();
  const resource = site.resource("proxmox/ha");
  await resource.create(site.ctx, site.ha.want);
  const rule = state(site).rules["slipway-lab"];
  if (rule) rule.comment = "mine";
  await expect(resource.read(site.ctx, site.ha.want)).rejects.toMatchObject({ code: "PVE_FOREIGN_HA" });
});

test("more control planes than nodes have no rule, since Proxmox would take none", () => {
  const want: HaWant = {
    cluster: "lab",
    host: "one",
    nodes: ["pve1", "pve2"],
    machines: [1, 2, 3].map((n) => ({ node: `cp-${n}`, vmid: n, isControlPlane: true })),
  };
  const managed = want.machines.map(({ vmid }) => ({ vmid, state: "started", comment: "" }));
  const have = { cluster: "lab", host: "one", hasGroups: false, managed };
  expect(compareHa(want, { ...have, nodeCount: 2 })).toEqual({ same: true });
  expect(compareHa(want, { ...have, nodeCount: 3 })).toMatchObject({
    fields: [{ field: "anti-affinity", from: "no rule", to: "cp-1, cp-2, cp-3" }],
  });
});

const check = async (site: ProxmoxSite, nodesThere: PlacedNode<ProxmoxHost>[]) =>
  site
    .freshProvider(nodesThere.map(({ host }) => host))
    .preflight(cluster, nodesThere, emptySurvey())
    .find((each) => each.id === "proxmox-ha")
    ?.run(site.ctx);

test("preflight refuses high availability for disks that only their own host can reach", async () => {
  await using site = await proxmoxSite({ storages: shared });
  expect(await check(site, placed)).toMatchObject({ status: "warned" });
  const local = placed.map((each) => ({ ...each, host: siteHost("one", "pve1") }));
  expect(await check(site, local)).toMatchObject({
    status: "failed",
    error: { code: "PVE_HA_LOCAL_DISKS", why: expect.stringContaining('"fast"') as unknown },
  });
});
