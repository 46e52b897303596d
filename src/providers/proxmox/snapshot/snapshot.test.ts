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

const versions = ["9.2", "8.4"] as const;
const node = siteNode("worker-1");
const storages = `  local: { type: dir, size: 100GiB, content: [iso, import] }
  fast: { type: lvmthin, size: 500GiB, content: [images] }
  thick: { type: lvm, size: 500GiB, content: [images] }`;

async function machineOn(site: ProxmoxSite, disks: string, made = node) {
  const one = siteHost("one", "pve1", { storage: siteStorages({ disks, cloudInit: disks }) });
  const placed = [{ node: made, host: one, id: 3000 }];
  const needs = siteNeeds(await site.provider.survey(site.ctx, [one]));
  for (const step of site.provider.describe(siteCluster([made]), placed, needs))
    await site.resource(step.kind).create(site.ctx, step.want);
  return (await site.provider.survey(site.ctx, [one])).machines;
}

test.each(versions)(
  "on Proxmox %s snapshots are taken while the machine runs, expire by age, and go back",
  async (version) => {
    await using site = await proxmoxSite({ version, storages });
    const machines = await machineOn(site, "fast");
    expect(await site.provider.snapshots.blockers(site.ctx, machines)).toEqual([]);
    const resource = site.resource("proxmox/snapshot");
    for (const name of ["slipway-20260101-000000", "slipway-20260102-000000", "slipway-20260103-000000"]) {
      const [step] = site.provider.snapshots.describe(machines, { name, keep: 2 });
      expect(await resource.read(site.ctx, step?.want)).toBeUndefined();
      await resource.create(site.ctx, step?.want);
      expect(await resource.read(site.ctx, step?.want)).toBeDefined();
    }
    const listed = await site.provider.snapshots.list(site.ctx, machines);
    expect(listed.map((snapshot) => snapshot.name)).toEqual([
      "slipway-20260102-000000",
      "slipway-20260103-000000",
    ]);
    expect(site.proxmox.state().vms["3000"]?.running).toBeTruthy();
    for (const step of site.provider.snapshots.describeRollback(machines, "slipway-20260102-000000"))
      await site.resource(step.kind).create(site.ctx, step.want);
    expect(site.proxmox.state().vms["3000"]?.config["parent"]).toBe("slipway-20260102-000000");
    expect(site.proxmox.state().vms["3000"]?.running).toBeTruthy();
  },
);

test.each(versions)(
  "on Proxmox %s a storage that cannot is named before anything happens",
  async (version) => {
    await using site = await proxmoxSite({ version, storages });
    const machines = await machineOn(site, "thick");
    expect(await site.provider.snapshots.blockers(site.ctx, machines)).toMatchObject([
      { machine: { node: "worker-1" }, why: expect.stringContaining('"thick"') as unknown },
    ]);
  },
);

test("machines are all stopped before the first goes back, and none starts before the last has", () => {
  const machine = { cluster: "lab", host: "one", on: "pve1", role: "control-plane", id: 1 } as const;
  const machines = ["cp-1", "cp-2"].map((name) => ({ ...machine, node: name })) as never;
  return proxmoxSite().then(async (site) => {
    const graph = site.provider.snapshots.describeRollback(machines, "slipway-20260101-000000");
    const after = Object.fromEntries(graph.map((step) => [step.id, step.after]));
    expect(after["lab/rollback-back/cp-1"]).toEqual(["lab/rollback-stop/cp-1", "lab/rollback-stop/cp-2"]);
    expect(after["lab/rollback-start/cp-2"]).toEqual(["lab/rollback-back/cp-1", "lab/rollback-back/cp-2"]);
    await site[Symbol.asyncDispose]();
  });
});

const folder = `  local: { type: dir, size: 100GiB, content: [iso, import, images] }`;
const withData = siteNode("worker-1", {
  dataDisks: [{ sizeGiB: 5 }],
  hardware: { firmware: "uefi" },
});

test("a machine with data disks and UEFI in a folder can be snapshotted [proxmox 7]", async () => {
  await using site = await proxmoxSite({ storages: folder });
  const machines = await machineOn(site, "local", withData);
  expect(await site.provider.snapshots.blockers(site.ctx, machines)).toEqual([]);
  const [step] = site.provider.snapshots.describe(machines, { name: "slipway-20260101-000000" });
  await site.resource("proxmox/snapshot").create(site.ctx, step?.want);
  expect(Object.keys(site.proxmox.state().vms["3000"]?.snapshots ?? {})).toEqual(["slipway-20260101-000000"]);
});

test("a raw disk of an older machine is named, with the command that makes it qcow2 [proxmox 7]", async () => {
  await using site = await proxmoxSite({ storages: folder });
  const machines = await machineOn(site, "local");
  const task = await site.client.changeMachine({ node: "pve1", vmid: 3000 }, { scsi1: "local:5,format=raw" });
  await task.wait();
  const [step] = site.provider.snapshots.describe(machines, { name: "slipway-20260101-000000" });
  await expect(site.resource("proxmox/snapshot").create(site.ctx, step?.want)).rejects.toMatchObject({
    why: expect.stringContaining("snapshot feature is not available") as string,
  });
  expect(await site.provider.snapshots.blockers(site.ctx, machines)).toEqual([
    {
      machine: machines[0],
      why: 'of machine 3000 scsi1 is a raw file on "local", and only qcow2 files keep snapshots',
      next: 'On pve1 run "qm disk move 3000 scsi1 local --format qcow2 --delete"',
    },
  ]);
});
