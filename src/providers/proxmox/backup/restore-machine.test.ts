import { expect, test } from "vitest";
import {
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNeeds,
  siteNode,
  siteStorages,
  type ProxmoxSite,
} from "../../../../test/support/proxmox/site.ts";
import type { FoundArchive } from "../../../plan/index.ts";
import { readMark, withMark } from "../mark.ts";

const versions = ["9.2", "8.4"] as const;
const node = { ...siteNode("worker-1"), dataDisks: [{ sizeGiB: 4 }] };
const storages = `  local: { type: dir, size: 100GiB, content: [iso, import, backup] }
  fast: { type: lvmthin, size: 500GiB, content: [images] }
  other: { type: lvmthin, size: 500GiB, content: [images] }`;

const hostOn = (disks: string) =>
  siteHost("one", "pve1", { storage: siteStorages({ disks, cloudInit: disks }) });

async function make(site: ProxmoxSite, disks = "fast", archive?: FoundArchive) {
  const one = hostOn(disks);
  const placed = [{ node, host: one, id: 3000 }];
  const survey = await site.provider.survey(site.ctx, [one]);
  const needs = { ...siteNeeds(survey), ...(archive && { archiveOf: () => archive }) };
  for (const step of site.provider.describe(siteCluster([node]), placed, needs))
    await site.resource(step.kind).create(site.ctx, step.want);
  const [machine] = (await site.provider.survey(site.ctx, [one])).machines;
  if (!machine) throw new Error("no machine");
  return machine;
}

async function backedUp(site: ProxmoxSite): Promise<FoundArchive> {
  const machine = await make(site);
  disk(site, "scsi1").data = { written: "early" };
  const [step] = site.provider.machineBackups.describe([machine], { storage: "local", name: "now" });
  await site.resource("proxmox/backup").create(site.ctx, step?.want);
  disk(site, "scsi1").data = { written: "late" };
  const wanted = { cluster: machine.cluster, node: machine.node, hosts: ["one"], ids: [3000] };
  return site.provider.machineBackups.find(site.ctx, wanted, undefined);
}

function disk(site: ProxmoxSite, slot: string) {
  const { vms, volumes } = site.proxmox.state();
  const volume = String(vms["3000"]?.config[slot]).split(",")[0];
  const found = volumes.find(({ storage, name }) => `${storage}:${name}` === volume);
  if (!found) throw new Error(`no ${slot}`);
  return found;
}

async function remove(site: ProxmoxSite, disks = "fast") {
  const survey = await site.provider.survey(site.ctx, [hostOn(disks)]);
  for (const step of site.provider.describeLeftovers(survey, () => true, new Set(["image"]))) {
    const resource = site.resource(step.kind);
    const have = await resource.read(site.ctx, step.want);
    if (have && step.kind === "proxmox/machine") await resource.remove(site.ctx, have);
  }
}

test.each(versions)(
  "on Proxmox %s a kept data disk takes the place of the copy in the backup",
  async (version) => {
    await using site = await proxmoxSite({ version, storages });
    const archive = await backedUp(site);
    await remove(site);
    await make(site, "fast", archive);
    expect(disk(site, "scsi1").data).toEqual({ written: "late" });
    const { vms, volumes } = site.proxmox.state();
    expect(vms["3000"]?.running).toBeTruthy();
    expect(Object.keys(vms)).toEqual(["3000"]);
    // Nothing is left of the copy.
    expect(
      volumes.filter(({ content, sizeBytes }) => content === "images" && sizeBytes === 4 * 2 ** 30),
    ).toHaveLength(1);
  },
);

test("a machine whose restore was cut keeps no copy as data, and is never taken for finished", async () => {
  await using site = await proxmoxSite({ storages });
  const archive = await backedUp(site);
  await remove(site);
  await make(site, "fast", archive);
  const vm = site.proxmox.state().vms["3000"];
  const description = String(vm?.config["description"]);
  const mark = readMark(description);
  if (!vm || !mark) throw new Error("no machine");
  vm.config["description"] = withMark(description, { ...mark, isRestored: true });
  const survey = await site.provider.survey(site.ctx, [hostOn("fast")]);
  expect(survey.machines[0]?.keptDisks).toEqual([]);
  const placed = [{ node, host: hostOn("fast"), id: 3000 }];
  const step = site.provider
    .describe(siteCluster([node]), placed, siteNeeds(survey))
    .find(({ kind }) => kind === "proxmox/machine");
  const resource = site.resource("proxmox/machine");
  const have = await resource.read(site.ctx, step?.want);
  expect(resource.compare(step?.want, have)).toMatchObject({
    same: false,
    fields: [{ field: "machine", from: "only restored", to: "set up" }],
  });
});

test("disks go where the file says when their storage is gone", async () => {
  await using site = await proxmoxSite({ storages });
  const archive = await backedUp(site);
  const { state } = site.proxmox;
  delete state().vms["3000"];
  state().volumes = state().volumes.filter(({ storage }) => storage !== "fast");
  state().storages = { fast: null };
  await make(site, "other", archive);
  expect(disk(site, "scsi0").storage).toBe("other");
  expect(disk(site, "scsi1").data).toEqual({ written: "early" });
});
