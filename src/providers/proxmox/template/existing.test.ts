import { expect, test } from "vitest";
import { surveyedTemplates } from "../survey/own-survey.ts";
import {
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNeeds,
  siteNode,
  type ProxmoxSite,
  type ProxmoxSiteOptions,
} from "../../../../test/support/proxmox/site.ts";
import type { GraphNode } from "../../../plan/index.ts";
import type { CloneKind, ProxmoxHost, Node } from "../../../spec/index.ts";
import type { MachineWant } from "../machine/machine-want.ts";

const one = siteHost("one", "pve1");
const vmid = 2000;

interface TemplateFile {
  disk?: string;
  config?: string;
  node?: string;
  kind?: string;
  isMachine?: true;
}

/** A datacenter in which somebody keeps template 400. */
const withTemplate = (file: TemplateFile = {}, more: ProxmoxSiteOptions = {}): Promise<ProxmoxSite> => {
  const { disk = "base-400-disk-0", node = "pve1", kind = "lvmthin" } = file;
  const config = file.config ?? `scsi0: "fast:${disk},size=2G", boot: "order=scsi0"`;
  return proxmoxSite({
    storages: `  local: { type: dir, size: 100GiB, content: [iso, import] }
  fast: { type: ${kind}, size: 500GiB, content: [images] }`,
    datacenter: `vms: { "400": { node: ${node}, config: { name: golden, template: ${file.isMachine ? 0 : 1}, ${config} } } }
images: [{ storage: fast, node: ${node}, file: "${disk}", size: 2GiB }]`,
    ...more,
  });
};

function machineOf(
  site: ProxmoxSite,
  clone: CloneKind = "auto",
  node: Node = siteNode("cp-1"),
  host: ProxmoxHost = one,
) {
  const cluster = siteCluster([node], { bootSource: { kind: "existing", vmid: 400, clone } });
  const graph = site.provider.describe(cluster, [{ node, host, id: vmid }], siteNeeds());
  expect(graph.map((each) => each.kind)).toEqual(["proxmox/machine"]);
  return graph[0] as GraphNode<MachineWant>;
}

const make = (site: ProxmoxSite, machine: GraphNode<MachineWant>) =>
  site.resource(machine.kind).create(site.ctx, machine.want);

test.each(["9.2", "8.4"] as const)(
  "on Proxmox %s a node is a clone of it, and it stays as it is",
  async (version) => {
    await using site = await withTemplate({}, { version });
    const before = await site.client.machineConfig({ node: "pve1", vmid: 400 });
    const machine = machineOf(site);
    expect(machine.facts).toMatchObject({ from: "clone of template 400" });
    await make(site, machine);
    const resource = site.resource(machine.kind);
    expect(resource.compare(machine.want, await resource.read(site.ctx, machine.want))).toEqual({
      same: true,
    });
    expect(await site.client.machineConfig({ node: "pve1", vmid: 400 })).toEqual(before);
    const survey = await site.provider.survey(site.ctx, [one]);
    expect(surveyedTemplates(survey)).toEqual([]);
  },
);

test("a template whose system disk is not where ours would be keeps it there", async () => {
  await using site = await withTemplate({
    config: `virtio0: "fast:base-400-disk-0,size=2G", boot: "order=virtio0", ide2: "fast:vm-400-cloudinit,media=cdrom"`,
  });
  const machine = machineOf(site);
  await make(site, machine);
  const config = await site.client.machineConfig({ node: "pve1", vmid });
  expect(config).toMatchObject({
    boot: "order=virtio0",
    virtio0: expect.stringContaining("size=20G") as string,
  });
  const resource = site.resource(machine.kind);
  expect(resource.compare(machine.want, await resource.read(site.ctx, machine.want))).toEqual({ same: true });
});

test("a raw disk in a directory is copied, or refused when the file insists on linked clones", async () => {
  await using site = await withTemplate({ kind: "dir", disk: "400/base-400-disk-0.raw" });
  await expect(make(site, machineOf(site, "linked"))).rejects.toMatchObject({
    code: "PVE_LINKED_CLONE_IMPOSSIBLE",
    why: expect.stringContaining("not in qcow2 format") as string,
  });
  await make(site, machineOf(site));
  const config = await site.client.machineConfig({ node: "pve1", vmid });
  expect(config["scsi0"]).not.toContain("base-400");
});

test.each([
  ["PVE_TEMPLATE_MISSING", {}, siteNode("cp-1"), 401],
  ["PVE_NOT_A_TEMPLATE", { isMachine: true }, siteNode("cp-1"), 400],
  ["PVE_TEMPLATE_ELSEWHERE", { node: "pve2" }, siteNode("cp-1"), 400],
  ["PVE_TEMPLATE_WITHOUT_DISK", { config: `boot: " "` }, siteNode("cp-1"), 400],
  ["PVE_TEMPLATE_TOO_LARGE", {}, siteNode("cp-1", { diskGiB: 1 }), 400],
  ["PVE_TEMPLATE_FIRMWARE", {}, siteNode("cp-1", { hardware: { firmware: "uefi" } }), 400],
] as const)("%s says what is wrong with it before anything is made", async (code, file, node, template) => {
  await using site = await withTemplate(file);
  const machine = machineOf(site, "auto", node);
  const from = { ...machine.want.from, template };
  const before = site.faults.seen.length;
  await expect(site.resource(machine.kind).create(site.ctx, { ...machine.want, from })).rejects.toMatchObject(
    { code },
  );
  expect(site.faults.seen.slice(before).filter((call) => !call.includes(" GET "))).toEqual([]);
});

test("the seed of a template that a q35 machine could not see is put where it can [proxmox 4]", async () => {
  const config = `scsi0: "fast:base-400-disk-0,size=2G", boot: "order=scsi0", machine: q35`;
  await using site = await withTemplate({
    config: `${config}, ide2: "fast:vm-400-cloudinit,media=cdrom"`,
  });
  const machine = machineOf(site, "auto", siteNode("cp-1", { hardware: { machine: "q35" } }));
  await make(site, machine);
  const made = await site.client.machineConfig({ node: "pve1", vmid });
  expect(made).toMatchObject({
    machine: "q35",
    scsi30: expect.stringContaining("vm-2000-cloudinit") as string,
  });
  expect(made).not.toHaveProperty("ide2");
  const resource = site.resource(machine.kind);
  expect(resource.compare(machine.want, await resource.read(site.ctx, machine.want))).toEqual({ same: true });
});

test("a copy of a raw template on a file storage is qcow2 [proxmox 7]", async () => {
  await using site = await withTemplate({ kind: "dir", disk: "400/base-400-disk-0.raw" });
  const machine = machineOf(site);
  await make(site, { ...machine, want: { ...machine.want, fileStorages: ["fast"] } });
  const { scsi0 } = await site.client.machineConfig({ node: "pve1", vmid });
  expect(scsi0).toContain("vm-2000-disk-0.qcow2");
});
