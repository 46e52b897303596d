import { expect, test } from "vitest";
import { seenIn, surveyedTemplates } from "../survey/own-survey.ts";
import { vmidOf } from "../machine/machine-want.ts";
import { proxmoxSite, siteCluster, siteHost } from "../../../../test/support/proxmox/site.ts";
import {
  clusterOf,
  make,
  one,
  plan,
  sitesOf,
  templatesIn,
} from "../../../../test/support/proxmox/template-plan.ts";
import { type Cluster, talosOf } from "../../../spec/index.ts";
import type { Graph } from "../../../plan/index.ts";

const newer: Partial<Cluster> = { distribution: { ...talosOf(siteCluster([])), version: "1.14.0" } };

test("a new version makes a new template; the old one stays while machines share its blocks, and goes after them", async () => {
  await using site = await sitesOf("zfspool");
  await make(site, (await plan(site)).graph);
  const next = await plan(site, clusterOf(newer));
  expect(templatesIn(next.graph).map(({ want }) => want.vmid)).toEqual([9001, 9101]);
  await make(site, next.graph, ["image", "template"]);
  const { survey } = await plan(site, clusterOf(newer));
  const old = (leftovers: Graph, clusters = [clusterOf(newer)]) =>
    site.provider
      .describeOldBootSources(site.ctx, survey, { hosts: [one], clusters }, leftovers)
      .map((node) => node.name);
  expect(old([])).toEqual([]);
  expect(site.log).toContain(
    "info: template 9000 on one is no longer wanted but stays: machine 2000 shares its blocks",
  );
  const machines = site.provider.describeLeftovers(survey, () => true, new Set());
  expect(old(machines)).toEqual(["template 9000 on one", "template 9100 on one"]);
  expect(old(machines, [])).toHaveLength(4);
});

test("an old template that nobody shares blocks with goes at once, and another file's stays", async () => {
  await using site = await proxmoxSite();
  await make(site, (await plan(site)).graph);
  const { survey } = await plan(site, clusterOf(newer));
  const removals = site.provider.describeOldBootSources(
    site.ctx,
    survey,
    { hosts: [one], clusters: [clusterOf(newer)] },
    [],
  );
  expect(removals.map((node) => node.want)).toMatchObject([{ vmid: 9000 }, { vmid: 9100 }]);
  const resource = site.resource("proxmox/template");
  for (const { want } of removals) await resource.remove(site.ctx, await resource.read(site.ctx, want));
  expect(
    (await site.client.machines("pve1")).map((machine) => machine.vmid).toSorted((a, b) => a - b),
  ).toEqual([2000, 2001]);
  const templates = surveyedTemplates(survey).map((each) => ({ ...each, isProtected: true as const }));
  const isProtected = { ...survey, own: { proxmox: { ...seenIn(survey.own), templates } } };
  const same = { hosts: [one], clusters: [clusterOf(newer)] };
  expect(site.provider.describeOldBootSources(site.ctx, isProtected, same, [])).toEqual([]);
  expect(site.log.at(-1)).toContain("stays: it is protected in Proxmox");
  const other = [clusterOf({ ...newer, name: "edge" })];
  const staying = { hosts: [one], clusters: other };
  expect(site.provider.describeOldBootSources(site.ctx, survey, staying, [])).toEqual([]);
});

test("rights on a pool are enough for templates and clones", async () => {
  const host = siteHost("one", "pve1", { pool: "kube" });
  await using site = await proxmoxSite({
    hosts: [host, siteHost("two", "pve2")],
    token: "poor@pve!main",
    datacenter: `roles:
  Machines: [VM.Allocate, VM.Audit, VM.Clone, VM.PowerMgmt, VM.Config.CPU, VM.Config.Disk, VM.Config.CDROM, VM.Config.HWType, VM.Config.Memory, VM.Config.Network, VM.Config.Options, VM.Config.Cloudinit]
  Images: [Datastore.AllocateTemplate, Datastore.AllocateSpace]
  Node: [Sys.Audit, Sys.AccessNetwork]`,
    acl: `  - { path: /pool/kube, role: Machines, user: "poor@pve" }
  - { path: /storage, role: Images, user: "poor@pve" }
  - { path: /nodes, role: Node, user: "poor@pve" }
  - { path: /sdn/zones/localnetwork, role: PVESDNUser, user: "poor@pve" }`,
  });
  site.proxmox.state().pools["kube"] = { vms: [], storages: [] };
  await make(site, (await plan(site, clusterOf(), [host, host])).graph);
  const again = await plan(site, clusterOf(), [host, host], site.freshProvider());
  expect(surveyedTemplates(again.survey).map((template) => template.vmid)).toEqual([9000, 9100]);
  expect(again.survey.machines.map(vmidOf).toSorted((a, b) => a - b)).toEqual([2000, 2001]);
});
