import { expect, test } from "vitest";
import { siteCluster, siteNeeds, siteNode } from "../../../../test/support/proxmox/site.ts";
import {
  config,
  made,
  one,
  remove,
  keptDisksMachine,
  strike,
  vmid,
  volumes,
  wanted,
  worker,
} from "../../../../test/support/proxmox/worker-site.ts";
import type { FaultKind } from "../../../sim/index.ts";

test("data disks outlive their machine on a shelf that says whose they are", async () => {
  await using site = await made();
  await remove(site);
  expect(config(site, vmid)).toBeUndefined();
  expect(config(site, keptDisksMachine)).toMatchObject({
    name: "lab-kept-disks",
    tags: "slipway;slipway-lab;slipway-shelf",
    protection: 1,
  });
  const { description = "", ...rest } = config(site, keptDisksMachine) as Record<string, string>;
  expect(Object.keys(rest).filter((key) => key.startsWith("net"))).toEqual([]);
  expect(description).toContain("- scsi0: data disk 1 of worker-1 (longhorn)");
  expect(description).toContain("- scsi1: data disk 2 of worker-1");
  expect(volumes(site)).toEqual([`${keptDisksMachine} 3`, `${keptDisksMachine} 5`]);
  const survey = await site.freshProvider().survey(site.ctx, [one]);
  expect(survey.keptDisks).toMatchObject([
    { cluster: "lab", node: "worker-1", host: "one", index: 0, sizeGiB: 5, for: "longhorn" },
    { cluster: "lab", node: "worker-1", host: "one", index: 1, sizeGiB: 3 },
  ]);
  expect(survey.machines).toEqual([]);
});

test("the node is made again with the very disks that were kept by a session that has seen none of it, and the shelf goes", async () => {
  await using site = await made();
  const before = site.proxmox.state().volumes.find((volume) => volume.sizeBytes === 5 * 1024 ** 3);
  if (before) before.data = { files: "precious" };
  await remove(site);
  const { machine } = await wanted(site, worker(), site.freshProvider());
  const provider = site.freshProvider();
  await site.resource("proxmox/machine", provider).create(site.ctx, machine.want);
  expect(config(site, keptDisksMachine)).toBeUndefined();
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
  const placed = [{ node, host: one, id: 9201 }];
  const planned = provider.describe(siteCluster([node]), placed, siteNeeds(survey));
  const leftovers = provider.describeLeftovers(
    survey,
    () => true,
    new Set(survey.images.map(({ file }) => file)),
    { losesData: false, clusters: ["lab"] },
    planned,
  );
  expect(leftovers.map(({ id }) => id)).toEqual(["lab/machine/worker-1"]);
  const resource = site.resource("proxmox/machine", site.freshProvider());
  await resource.remove(site.ctx, await resource.read(site.ctx, leftovers[0]?.want));
  expect(config(site, 9200)?.["name"]).toBe("theirs");
  expect(config(site, 9202)?.["name"]).toBe("lab-kept-disks");
});

test("a disk that the file lets go is not kept, and the mark alone says so", async () => {
  const node = worker({ dataDisks: [{ sizeGiB: 5, isDisposable: true }, { sizeGiB: 3 }] });
  await using site = await made({}, node);
  await remove(site);
  expect(volumes(site)).toEqual([`${keptDisksMachine} 3`]);
  const provider = site.freshProvider();
  const { machine } = await wanted(site, node, provider);
  await site.resource("proxmox/machine", provider).create(site.ctx, machine.want);
  expect(String(config(site, vmid)?.["scsi1"])).toContain("size=5G");
  expect(String(config(site, vmid)?.["scsi2"])).toContain("size=3G");
  expect(config(site, keptDisksMachine)).toBeUndefined();
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
  const key = { cluster: "lab", host: "one", on: "pve1", vmid: keptDisksMachine };
  await resource.remove(site.ctx, key);
  expect(volumes(site)).toEqual([`${keptDisksMachine} 3`, `${keptDisksMachine} 5`]);
  await resource.remove(site.ctx, { ...key, losesData: true });
  expect(volumes(site)).toEqual([]);
  expect(await resource.read(site.ctx, key)).toBeUndefined();
});

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
  expect(volumes(site)).toEqual([`${keptDisksMachine} 3`, `${keptDisksMachine} 5`]);
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
    expect(survey.keptDisksHolders.every((each) => each.isEmpty)).toBe(true);
  },
);
