import { expect, test } from "vitest";
import { emptySurvey, proxmoxSite, siteCluster, siteNeeds } from "../../../../test/support/proxmox/site.ts";
import {
  config,
  made,
  one,
  remove,
  keptDisksMachine,
  vmid,
  worker,
} from "../../../../test/support/proxmox/worker-site.ts";
import type { GraphNode } from "../../../plan/index.ts";

test("pain-04: a machine that is being asked to shut down, and does not answer, is stopped at once (bpg#1620)", async () => {
  await using site = await made({}, worker({}));
  const shutdown = await site.client.shutdownMachine({ node: "pve1", vmid }, 600);
  const from = site.clock.now();
  await remove(site);
  expect(site.clock.now() - from).toBeLessThan(60_000);
  expect(config(site, vmid)).toBeUndefined();
  await shutdown.wait().catch(() => undefined);
});

test("a lock that nobody works under any more is named with the way out", async () => {
  await using site = await made({}, worker({}));
  const machine = site.proxmox.state().vms[vmid];
  if (machine) machine.config["lock"] = "backup";
  await expect(remove(site)).rejects.toMatchObject({
    code: "PVE_MACHINE_LOCKED",
    next: expect.stringContaining(`qm unlock ${vmid}`) as string,
  });
  expect(config(site, vmid)).toBeDefined();
});

test("a backup that runs may finish before its machine goes", async () => {
  await using site = await made({}, worker({}));
  const { vms, tasks } = site.proxmox.state();
  const machine = vms[vmid];
  const [any] = tasks;
  if (!machine || !any) throw new Error("nothing was made");
  machine.config["lock"] = "backup";
  const { endtime: _end, exitstatus: _exit, ...running } = any;
  tasks.push({ ...running, upid: running.upid.replace(":qm", ":vzdump"), type: "vzdump", id: String(vmid) });
  const removal = remove(site);
  await site.clock.sleep(10_000);
  expect(config(site, vmid)).toBeDefined();
  delete machine.config["lock"];
  tasks.pop();
  await removal;
  expect(config(site, vmid)).toBeUndefined();
});

test("protection set by hand is not lifted, what the file has set is", async () => {
  await using site = await made({}, worker({}));
  const machine = site.proxmox.state().vms[vmid];
  if (machine) machine.config["protection"] = 1;
  await expect(remove(site)).rejects.toMatchObject({ code: "PVE_MACHINE_PROTECTED" });
  await using other = await made({}, worker({ isProtected: true }));
  expect(config(other, vmid)?.["protection"]).toBe(1);
  await remove(other);
  expect(config(other, vmid)).toBeUndefined();
});

test("a machine under high availability is released first, and leaves no entry there", async () => {
  await using site = await made({}, worker({}));
  site.proxmox.state().ha.resources[`vm:${vmid}`] = { sid: `vm:${vmid}`, state: "started" } as never;
  await remove(site);
  expect(config(site, vmid)).toBeUndefined();
  expect(await site.client.haMachines()).toEqual([]);
});

test("pain-02: a VMID that became somebody else's after the plan is not touched (omni-pve#28)", async () => {
  await using site = await made({}, worker({}));
  const provider = site.freshProvider();
  await provider.survey(site.ctx, [one]);
  const resource = site.resource("proxmox/machine", provider);
  const have = await resource.read(site.ctx, { host: "one", vmid, cluster: "lab", node: "worker-1" });
  const machine = site.proxmox.state().vms[vmid];
  if (machine) machine.config = { name: "postgres", memory: 2048 };
  await expect(resource.remove(site.ctx, have)).rejects.toMatchObject({ code: "PVE_FOREIGN_MACHINE" });
  expect(config(site, vmid)).toMatchObject({ name: "postgres" });
});

test("hindrances() names what would keep a disk from being set aside", async () => {
  await using site = await made();
  const machine = site.proxmox.state().vms[vmid];
  const reasons = async () => {
    const provider = site.freshProvider();
    const { machines } = await provider.survey(site.ctx, [one]);
    return (await provider.removalBlockers(site.ctx, machines)).map(({ why }) => why);
  };
  expect(await reasons()).toEqual([]);
  await (await site.client.stopMachine({ node: "pve1", vmid })).wait();
  if (machine) machine.snapshots["before"] = { config: { ...machine.config } } as never;
  expect(await reasons()).toEqual([
    expect.stringContaining('snapshot "before" of machine 3000 holds data disk 1'),
  ]);
  if (machine) {
    machine.snapshots = {};
    machine.config["unused0"] = "fast:vm-4000-disk-9";
  }
  expect(await reasons()).toEqual([expect.stringContaining("unused0, fast:vm-4000-disk-9")]);
});

test("remains() finds disks that carry the number of a machine that is gone, unless the number is taken again", async () => {
  await using site = await proxmoxSite();
  const { volumes: all } = site.proxmox.state();
  all.push({
    storage: "fast",
    node: "pve1",
    name: "vm-3000-disk-7",
    vmid,
    sizeBytes: 1024 ** 3,
    usedBytes: 0,
    format: "raw",
    content: "images",
  } as never);
  const provider = site.freshProvider();
  const gone = (number: number): GraphNode[] => [{ want: { host: "one", vmid: number } } as GraphNode];
  const left = await provider.findLeftovers(site.ctx, [one], gone(vmid));
  expect(left).toEqual([expect.stringContaining("vm-3000-disk-7 on pve1")]);
  expect(await provider.findLeftovers(site.ctx, [one], gone(3001))).toEqual([]);
});

test("a node whose disks were kept elsewhere, or are larger than the file says, is not made beside them", async () => {
  await using site = await proxmoxSite();
  const node = worker();
  const kept = {
    cluster: "lab",
    node: "worker-1",
    host: "two",
    on: "pve2",
    index: 0,
    sizeGiB: 5,
    keptDisksMachine,
    volume: "fast:x",
  };
  const describe = (more: object) =>
    site.provider.describe(
      siteCluster([node]),
      [{ node, host: one, id: vmid }],
      siteNeeds(emptySurvey({ keptDisks: [{ ...kept, ...more }] })),
    );
  expect(() => describe({})).toThrow(expect.objectContaining({ code: "PVE_KEPT_DISK_ELSEWHERE" }));
  expect(() => describe({ on: "pve1", host: "one", sizeGiB: 9 })).toThrow(
    expect.objectContaining({ code: "PVE_KEPT_DISK_LARGER" }),
  );
});
