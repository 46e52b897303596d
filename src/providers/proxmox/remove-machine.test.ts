import { expect, test } from "vitest";
import {
  emptySurvey,
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNeeds,
  siteNode,
  type ProxmoxSite,
  type ProxmoxSiteOptions,
} from "../../../test/support/proxmox-site.ts";
import type { GraphNode, Provider } from "../../plan/index.ts";
import type { FaultKind } from "../../sim/index.ts";
import type { Node } from "../../spec/index.ts";
import type { MachineHave, MachineWant } from "./machine-config.ts";

const one = siteHost("one", "pve1");
const vmid = 3000;
const shelf = 9200;
const withData: Partial<Node> = { dataDisks: [{ sizeGiB: 5, for: "longhorn" }, { sizeGiB: 3 }] };
const worker = (more: Partial<Node> = withData): Node => siteNode("worker-1", more);

/** The machine of one worker, as the file has it. */
async function wanted(site: ProxmoxSite, node = worker(), provider: Provider = site.provider) {
  const survey = await provider.survey(site.ctx, [one]);
  const graph = provider.describe(siteCluster([node]), [{ node, host: one, vmid }], siteNeeds(survey));
  const find = (kind: string) => graph.find((each) => each.kind === kind) as GraphNode<MachineWant>;
  return { image: find("proxmox/image"), machine: find("proxmox/machine") };
}

async function made(options: ProxmoxSiteOptions = {}, node = worker()): Promise<ProxmoxSite> {
  const site = await proxmoxSite(options);
  const { image, machine } = await wanted(site, node);
  await site.resource("proxmox/image").create(site.ctx, image.want);
  await site.resource("proxmox/machine").create(site.ctx, machine.want);
  return site;
}

async function remove(site: ProxmoxSite, more: Partial<MachineHave> = {}): Promise<void> {
  const provider = site.freshProvider();
  await provider.survey(site.ctx, [one]);
  const resource = site.resource("proxmox/machine", provider);
  const key = { host: "one", vmid, cluster: "lab", node: "worker-1", ...more };
  const have = await resource.read(site.ctx, key);
  if (have !== undefined) await resource.remove(site.ctx, have);
}

const config = (site: ProxmoxSite, id: number) => site.proxmox.state().vms[id]?.config;
const volumes = (site: ProxmoxSite) =>
  site.proxmox
    .state()
    .volumes.filter((volume) => volume.vmid !== undefined)
    .map((volume) => `${volume.vmid} ${volume.sizeBytes / 1024 ** 3}`)
    .toSorted();

test("data disks outlive their machine on a shelf that says whose they are", async () => {
  await using site = await made();
  await remove(site);
  expect(config(site, vmid)).toBeUndefined();
  expect(config(site, shelf)).toMatchObject({
    name: "lab-kept-disks",
    tags: "slipway;slipway-lab;slipway-shelf",
    protection: 1,
  });
  const { description = "", ...rest } = config(site, shelf) as Record<string, string>;
  expect(Object.keys(rest).filter((key) => key.startsWith("net"))).toEqual([]);
  expect(description).toContain("- scsi0: data disk 1 of worker-1 (longhorn)");
  expect(description).toContain("- scsi1: data disk 2 of worker-1");
  expect(volumes(site)).toEqual([`${shelf} 3`, `${shelf} 5`]);
  const survey = await site.freshProvider().survey(site.ctx, [one]);
  expect(survey.keptDisks).toMatchObject([
    { cluster: "lab", node: "worker-1", host: "one", index: 0, sizeGiB: 5, for: "longhorn" },
    { cluster: "lab", node: "worker-1", host: "one", index: 1, sizeGiB: 3 },
  ]);
  expect(survey.machines).toEqual([]);
});

test("the node is made again with the very disks that were kept, and the shelf goes", async () => {
  await using site = await made();
  const before = site.proxmox.state().volumes.find((volume) => volume.sizeBytes === 5 * 1024 ** 3);
  if (before) before.data = { files: "precious" };
  await remove(site);
  const provider = site.freshProvider();
  const { machine } = await wanted(site, worker(), provider);
  await site.resource("proxmox/machine", provider).create(site.ctx, machine.want);
  expect(config(site, shelf)).toBeUndefined();
  const disk = site.proxmox.state().volumes.find((volume) => volume.sizeBytes === 5 * 1024 ** 3);
  expect(disk).toMatchObject({ vmid, data: { files: "precious" } });
  expect(String(config(site, vmid)?.["scsi1"])).toContain("size=5G");
  expect(String(config(site, vmid)?.["scsi2"])).toContain("size=3G");
  const have = await site.resource("proxmox/machine", provider).read(site.ctx, machine.want);
  expect(site.resource("proxmox/machine").compare(machine.want, have)).toEqual({ same: true });
});

test("the number of a shelf is nobody's, and not one the file has given away", async () => {
  await using site = await made();
  await (await site.client.createMachine("pve1", { vmid: 9200, name: "theirs" })).wait();
  const provider = site.freshProvider();
  const survey = await provider.survey(site.ctx, [one]);
  const node = siteNode("worker-9");
  provider.describe(siteCluster([node]), [{ node, host: one, vmid: 9201 }], siteNeeds(survey));
  const resource = site.resource("proxmox/machine", provider);
  const key = { host: "one", vmid, cluster: "lab", node: "worker-1" };
  await resource.remove(site.ctx, await resource.read(site.ctx, key));
  expect(config(site, 9200)?.["name"]).toBe("theirs");
  expect(config(site, 9202)?.["name"]).toBe("lab-kept-disks");
});

test("a disk that the file lets go is not kept, and the mark alone says so", async () => {
  const node = worker({ dataDisks: [{ sizeGiB: 5, isDisposable: true }, { sizeGiB: 3 }] });
  await using site = await made({}, node);
  await remove(site);
  expect(volumes(site)).toEqual([`${shelf} 3`]);
  const provider = site.freshProvider();
  const { machine } = await wanted(site, node, provider);
  await site.resource("proxmox/machine", provider).create(site.ctx, machine.want);
  expect(String(config(site, vmid)?.["scsi1"])).toContain("size=5G");
  expect(String(config(site, vmid)?.["scsi2"])).toContain("size=3G");
  expect(config(site, shelf)).toBeUndefined();
});

test("with the word for it, data disks go with their machine", async () => {
  await using site = await made();
  await remove(site, { losesData: true });
  expect(Object.keys(site.proxmox.state().vms)).toEqual([]);
  expect(volumes(site)).toEqual([]);
});

test("a shelf is removed with its disks only when data may be lost", async () => {
  await using site = await made();
  await remove(site);
  const resource = site.resource("proxmox/shelf");
  const key = { cluster: "lab", host: "one", on: "pve1", vmid: shelf };
  await resource.remove(site.ctx, key);
  expect(volumes(site)).toEqual([`${shelf} 3`, `${shelf} 5`]);
  await resource.remove(site.ctx, { ...key, losesData: true });
  expect(volumes(site)).toEqual([]);
  expect(await resource.read(site.ctx, key)).toBeUndefined();
});

/** From now on, the given call of its kind goes wrong once. */
function strike(site: ProxmoxSite, call: RegExp, nth: number, kind: FaultKind): void {
  const next = site.faults.next.bind(site.faults);
  let count = 0;
  site.faults.next = (name) => {
    const usual = next(name);
    if (!call.test(name)) return usual;
    count += 1;
    return count === nth ? kind : usual;
  };
}

test.each([
  [/POST \/nodes\/[^/]+\/qemu$/, 1, "lost-reply"],
  [/POST .*\/config$/, 1, "error"],
  [/POST .*\/move_disk$/, 1, "lost-reply"],
  [/POST .*\/config$/, 2, "lost-reply"],
  [/POST .*\/move_disk$/, 2, "error"],
  [/DELETE .*\/qemu/, 1, "lost-reply"],
] as const)(
  "a removal that is cut at %s, number %i (%s), loses no disk, and the next one ends it",
  cutRemoval,
);

async function cutRemoval(call: RegExp, nth: number, kind: FaultKind): Promise<void> {
  await using site = await made();
  strike(site, call, nth, kind);
  await expect(remove(site)).rejects.toBeInstanceOf(Error);
  const sizes = (): string[] => volumes(site).map((volume) => volume.split(" ")[1] ?? "");
  expect(sizes()).toEqual(expect.arrayContaining(["3", "5"]));
  await remove(site);
  expect(config(site, vmid)).toBeUndefined();
  expect(volumes(site)).toEqual([`${shelf} 3`, `${shelf} 5`]);
}

test.each([
  [/POST \/nodes\/[^/]+\/qemu$/, 1, "lost-reply"],
  [/POST .*\/move_disk$/, 1, "lost-reply"],
  [/POST .*\/move_disk$/, 2, "error"],
  [/DELETE .*\/qemu/, 1, "error"],
] as const)(
  "a node that is cut at %s, number %i (%s), has its old disks after the next run",
  async (call, nth, kind) => {
    await using site = await made();
    for (const volume of site.proxmox.state().volumes) volume.data = { of: volume.sizeBytes };
    await remove(site);
    const makeAgain = async (): Promise<void> => {
      const provider = site.freshProvider();
      const { machine } = await wanted(site, worker(), provider);
      const resource = site.resource("proxmox/machine", provider);
      const have = await resource.read(site.ctx, machine.want);
      if (have === undefined) await resource.create(site.ctx, machine.want);
      else if (!resource.compare(machine.want, have).same)
        await resource.update(site.ctx, machine.want, have);
    };
    strike(site, call, nth, kind);
    await expect(makeAgain()).rejects.toBeInstanceOf(Error);
    await makeAgain();
    const disks = site.proxmox
      .state()
      .volumes.filter((volume) => [3, 5].includes(volume.sizeBytes / 1024 ** 3));
    expect(disks.map((volume) => [volume.vmid, volume.data])).toEqual(
      disks.map((volume) => [vmid, { of: volume.sizeBytes }]),
    );
    expect(disks).toHaveLength(2);
    const survey = await site.freshProvider().survey(site.ctx, [one]);
    expect(survey.keptDisks).toEqual([]);
    expect(survey.shelves.every((each) => each.isEmpty)).toBe(true);
  },
);

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
    return (await provider.hindrances(site.ctx, machines)).map(({ why }) => why);
  };
  expect(await reasons()).toEqual([]);
  await (await site.client.stopMachine({ node: "pve1", vmid })).wait();
  if (machine) machine.snapshots["before"] = { config: { ...machine.config } } as never;
  expect(await reasons()).toEqual([
    expect.stringContaining('snapshot "before" of machine 3000 holds data disk 1'),
  ]);
  if (machine) {
    machine.snapshots = {};
    machine.config["unused0"] = "fast:vm-3000-disk-9";
  }
  expect(await reasons()).toEqual([expect.stringContaining("unused0, fast:vm-3000-disk-9")]);
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
  await provider.survey(site.ctx, [one]);
  const left = await provider.remains(site.ctx, [one], [{ host: "one", vmid }]);
  expect(left).toEqual([expect.stringContaining("vm-3000-disk-7 on pve1")]);
  expect(await provider.remains(site.ctx, [one], [{ host: "one", vmid: 3001 }])).toEqual([]);
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
    shelf,
    volume: "fast:x",
  };
  const describe = (more: object) =>
    site.provider.describe(
      siteCluster([node]),
      [{ node, host: one, vmid }],
      siteNeeds(emptySurvey({ keptDisks: [{ ...kept, ...more }] })),
    );
  expect(() => describe({})).toThrow(expect.objectContaining({ code: "PVE_KEPT_DISK_ELSEWHERE" }));
  expect(() => describe({ on: "pve1", host: "one", sizeGiB: 9 })).toThrow(
    expect.objectContaining({ code: "PVE_KEPT_DISK_LARGER" }),
  );
});
