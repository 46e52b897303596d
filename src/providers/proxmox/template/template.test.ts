import { surveyedTemplates } from "../survey/own-survey.ts";
import { describe, expect, test } from "vitest";
import {
  proxmoxSite,
  siteHost,
  siteNeeds,
  siteNode,
  siteStorages,
} from "../../../../test/support/proxmox/site.ts";
import {
  clusterOf,
  config,
  fromTemplate,
  machinesIn,
  make,
  nodes,
  one,
  plan,
  sitesOf,
  storage,
  templatesIn,
  two,
} from "../../../../test/support/proxmox/template-plan.ts";
import type { MachineHave } from "../machine/machine-want.ts";
import type { TemplateHave } from "./template.ts";

describe.each([
  ["9.2", "lvmthin"],
  ["8.4", "lvmthin"],
  ["9.2", "dir"],
  ["9.2", "zfspool"],
] as const)("on Proxmox %s with %s", (version, kind) => {
  test("a template per role is made with its mark, nodes are linked clones, and then nothing differs", async () => {
    await using site = await sitesOf(kind, { version });
    const { graph } = await plan(site);
    expect(templatesIn(graph).map((node) => [node.name, node.want.vmid])).toEqual([
      ["template for control planes on one", 9000],
      ["template for workers on one", 9100],
    ]);
    expect(machinesIn(graph)[0]?.facts).toMatchObject({ from: "clone of template 9000" });
    await make(site, graph);
    expect(await config(site, 9000)).toMatchObject({
      template: "1",
      name: "talos-1.13.9-control-plane",
      tags: "slipway;slipway-template",
    });
    const again = await plan(site, clusterOf(), [one, one], site.freshProvider());
    expect(surveyedTemplates(again.survey)).toMatchObject([
      { vmid: 9000, role: "control-plane", clones: kind === "lvmthin" ? [] : [2000] },
      { vmid: 9100, role: "worker", clones: kind === "lvmthin" ? [] : [2001] },
    ]);
    for (const node of again.graph.filter((each) => each.kind !== "proxmox/image")) {
      const resource = site.resource(node.kind);
      const have = await resource.read(site.ctx, node.want);
      expect(resource.compare(node.want, have), node.id).toEqual({ same: true });
    }
    const clone = await config(site, 2000);
    expect(clone["description"]).not.toContain("isBare");
    expect(clone).toMatchObject({ name: "cp-1", memory: "2048", ipconfig0: "ip=10.1.0.11/24,gw=10.1.0.1" });
    // Thin LVM has no name for it.
    expect(clone["scsi0"]?.includes("base-9000-disk-0")).toBe(kind !== "lvmthin");
  });
});

test("a run cut between creating and converting leaves a template that the next one finds and finishes", async () => {
  await using site = await proxmoxSite({
    faults: [{ call: "proxmox POST /nodes/*/template", kind: "error" }],
  });
  const { graph } = await plan(site);
  await make(site, graph, ["image"]);
  const resource = site.resource("proxmox/template");
  const [first] = templatesIn(graph);
  await expect(resource.create(site.ctx, first?.want)).rejects.toMatchObject({
    what: expect.stringContaining("make machine 9000 a template") as string,
  });
  const next = await plan(site);
  const [found] = templatesIn(next.graph);
  expect(surveyedTemplates(next.survey).map((template) => template.vmid)).toEqual([9000]);
  expect(found?.want.vmid).toBe(9000);
  const have = (await resource.read(site.ctx, found?.want)) as TemplateHave;
  expect(have).toMatchObject({ isReady: false });
  expect(resource.compare(found?.want, have)).toMatchObject({ action: "update" });
  expect(await resource.update(site.ctx, found?.want, have)).toMatchObject({ isReady: true });
  expect(await config(site, 9000)).toMatchObject({ template: "1" });
});

test("a run cut while Proxmox imports the template's disk is waited for, and no second template is made", async () => {
  await using site = await proxmoxSite({ latencies: { importMs: 20_000 } });
  const { graph } = await plan(site);
  await make(site, graph, ["image"]);
  const [first] = templatesIn(graph);
  const cut = new AbortController();
  const killed = site.resource("proxmox/template").create(site.contextFor(cut.signal), first?.want);
  while ((await site.client.machines("pve1")).length === 0) await site.clock.sleep(100);
  cut.abort(new Error("killed"));
  await killed.catch(() => undefined);
  const next = await plan(site, clusterOf(), [one, one], site.freshProvider());
  expect(templatesIn(next.graph)[0]?.want.vmid).toBe(9000);
  await make(site, next.graph, ["template"]);
  expect(
    (await site.client.machines("pve1")).map((machine) => machine.vmid).toSorted((a, b) => a - b),
  ).toEqual([9000, 9100]);
});

test("a clone that was cut before it was set up says so, and is set up whole by the next run", async () => {
  await using site = await proxmoxSite({ faults: [{ call: "proxmox POST /nodes/*/config", kind: "error" }] });
  const cluster = clusterOf({}, [siteNode("cp-1", { dataDisks: [{ sizeGiB: 5 }] })]);
  const { graph } = await plan(site, cluster);
  await make(site, graph, ["image", "template"]);
  const [machine] = machinesIn(graph);
  const resource = site.resource("proxmox/machine");
  await expect(resource.create(site.ctx, machine?.want)).rejects.toMatchObject({
    code: expect.any(String) as string,
  });
  const have = (await resource.read(site.ctx, machine?.want)) as MachineHave;
  expect(have).toMatchObject({ isRunning: false, mark: { isBare: true } });
  expect(resource.compare(machine?.want, have)).toMatchObject({
    action: "update",
    consequence: "hot",
    fields: [{ from: "only cloned", to: "set up" }],
  });
  expect(await resource.update(site.ctx, machine?.want, have)).toMatchObject({
    isRunning: true,
    diskGiB: 20,
  });
  const done = await resource.read(site.ctx, machine?.want);
  expect(resource.compare(machine?.want, done)).toEqual({ same: true });
  expect(await config(site, 2000)).toMatchObject({ agent: "enabled=0", onboot: "1" });
});

test("a clone that an earlier run has started is waited for, not made twice", async () => {
  await using site = await proxmoxSite({ latencies: { createMs: 20_000 } });
  const cluster = clusterOf({}, [siteNode("cp-1")]);
  const { graph } = await plan(site, cluster);
  await make(site, graph, ["image", "template"]);
  const [machine] = machinesIn(graph);
  const cut = new AbortController();
  const killed = site.resource("proxmox/machine").create(site.contextFor(cut.signal), machine?.want);
  while ((await site.client.machines("pve1")).length < 2) await site.clock.sleep(100);
  cut.abort(new Error("killed"));
  await killed.catch(() => undefined);
  expect(await config(site, 2000)).toMatchObject({ lock: "clone", description: " qmclone temporary file" });
  const next = site.freshProvider();
  await plan(site, cluster, [one], next);
  const resource = site.resource("proxmox/machine", next);
  expect(await resource.create(site.ctx, machine?.want)).toMatchObject({ isRunning: true });
});

test.each(["POST /nodes/*/template", "POST /nodes/*/clone", "POST /nodes/*/qemu", "POST /nodes/*/config"])(
  "the reply to %s is lost: the next attempt goes on from what is there",
  async (call) => {
    await using site = await proxmoxSite({ faults: [{ call: `proxmox ${call}`, kind: "lost-reply" }] });
    const { graph } = await plan(site, clusterOf({}, [siteNode("cp-1")]));
    await make(site, graph, ["image"]);
    const lost: string[] = [];
    for (const node of [...templatesIn(graph), ...machinesIn(graph)]) {
      const resource = site.resource(node.kind);
      await resource.create(site.ctx, node.want).catch(async (error: { code: string }) => {
        lost.push(error.code);
        await resource.create(site.ctx, node.want);
      });
      const have = await resource.read(site.ctx, node.want);
      expect(resource.compare(node.want, have)).toEqual({ same: true });
    }
    expect(lost).toEqual(["PVE_UNREACHABLE"]);
    expect(
      (await site.client.machines("pve1")).map((machine) => machine.vmid).toSorted((a, b) => a - b),
    ).toEqual([2000, 9000]);
  },
);

test("each node of a Proxmox cluster has its own template while storages are local", async () => {
  await using site = await proxmoxSite();
  const pair = [siteNode("cp-1"), siteNode("cp-2", { address: "10.1.0.12", mac: "02:aa:bb:cc:dd:02" })];
  const { graph } = await plan(site, clusterOf({}, pair), [one, two]);
  expect(templatesIn(graph).map(({ want }) => [want.host, want.vmid])).toEqual([
    ["one", 9000],
    ["two", 9001],
  ]);
});

test("a template on a node that the file does not name is nobody's but that node's", async () => {
  await using site = await proxmoxSite();
  const cluster = clusterOf({}, [siteNode("cp-1")]);
  await make(site, (await plan(site, cluster, [two])).graph, ["image", "template"]);
  const { survey, graph } = await plan(site, cluster, [one], site.freshProvider());
  expect(surveyedTemplates(survey)).toMatchObject([{ host: "one", on: "pve2", vmid: 9000 }]);
  expect(templatesIn(graph).map(({ want }) => want.vmid)).toEqual([9001]);
});

test("one template serves all nodes that share its storage", async () => {
  await using site = await proxmoxSite({ storages: storage("rbd", ", shared: true") });
  const pair = [siteNode("cp-1"), siteNode("cp-2", { address: "10.1.0.12", mac: "02:aa:bb:cc:dd:02" })];
  const { graph } = await plan(site, clusterOf({}, pair), [one, two]);
  expect(templatesIn(graph)).toHaveLength(1);
  await make(site, graph);
  expect((await config(site, 2001, "pve2"))["scsi0"]).toContain("base-9000-disk-0");
  const again = await plan(site, clusterOf({}, pair), [one, two], site.freshProvider());
  expect(templatesIn(again.graph).map(({ want }) => want.vmid)).toEqual([9000]);
});

test("two clusters of one plan that need the same template agree on its number", async () => {
  await using site = await proxmoxSite();
  const survey = await site.provider.survey(site.ctx, [one]);
  const needs = siteNeeds(survey);
  const numbers = ["lab", "edge"].map((name) => {
    const [node] = nodes;
    if (!node) throw new Error("no node");
    const graph = site.provider.describe(clusterOf({ name }, [node]), [{ node, host: one, id: 2000 }], needs);
    return templatesIn(graph)[0]?.want.vmid;
  });
  expect(numbers).toEqual([9000, 9000]);
});

test("a machine that somebody cloned from our template by hand is not ours", async () => {
  await using site = await proxmoxSite();
  await make(site, (await plan(site)).graph, ["image", "template"]);
  const task = await site.client.cloneMachine({ node: "pve1", vmid: 9000 }, { newid: 500, name: "mine" });
  await task.wait();
  expect((await config(site, 500))["description"]).toContain("slipway-template");
  const { survey } = await plan(site);
  expect(surveyedTemplates(survey).map((template) => template.vmid)).toEqual([9000, 9100]);
  const [first] = templatesIn((await plan(site)).graph);
  const resource = site.resource("proxmox/template");
  await expect(resource.read(site.ctx, { ...first?.want, vmid: 500 })).rejects.toMatchObject({
    code: "PVE_FOREIGN_MACHINE",
  });
});

test("two storages, one for templates and one for disks: nodes are full copies on the second", async () => {
  const storages = `${storage("lvmthin")}\n  slow: { type: dir, size: 500GiB, content: [images] }`;
  const host = siteHost("one", "pve1", { storage: siteStorages({ templates: "slow", cloudInit: "slow" }) });
  await using site = await proxmoxSite({ storages, hosts: [host, two] });
  const cluster = clusterOf({}, [siteNode("cp-1")]);
  const { graph } = await plan(site, cluster, [host]);
  await make(site, graph);
  expect((await config(site, 9000))["scsi0"]).toMatch(/^slow:9000\/base-9000-disk-0\.qcow2/);
  const clone = await config(site, 2000);
  expect(clone["scsi0"]).toMatch(/^fast:vm-2000-disk-0/);
  expect(clone["scsi30"]).toMatch(/^slow:2000\/vm-2000-cloudinit/);
});

test("linked clones on a storage that cannot make them are an error with a way out", async () => {
  await using site = await sitesOf("lvm");
  const cluster = clusterOf({ bootSource: { ...fromTemplate, clone: "linked" } }, [siteNode("cp-1")]);
  const { graph } = await plan(site, cluster);
  await make(site, graph, ["image", "template"]);
  const [machine] = machinesIn(graph);
  await expect(site.resource("proxmox/machine").create(site.ctx, machine?.want)).rejects.toMatchObject({
    code: "PVE_LINKED_CLONE_IMPOSSIBLE",
    why: 'template 9000 is on storage "fast", and a storage of type lvm cannot share blocks between disks',
  });
});
