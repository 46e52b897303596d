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
import type { GraphNode } from "../../../plan/index.ts";
import type { Cluster, ProxmoxHost } from "../../../spec/index.ts";
import type { IsoWant } from "./detach-iso.ts";
import type { ImageWant } from "./image-volume.ts";
import type { MachineWant } from "../machine/machine-want.ts";

const one = siteHost("one", "pve1");
const vmid = 2000;
const machineAt = { node: "pve1", vmid };

function graphOf(site: ProxmoxSite, more: Partial<Cluster> = {}, host: ProxmoxHost = one) {
  const node = siteNode("cp-1", { dataDisks: [{ sizeGiB: 5 }] });
  const cluster = siteCluster([node], { bootSource: { kind: "iso" }, ...more });
  const graph = site.provider.describe(cluster, [{ node, host, id: vmid }], siteNeeds());
  const of = <Want>(kind: string) => graph.find((each) => each.kind === kind) as GraphNode<Want>;
  return {
    image: of<ImageWant>("proxmox/image"),
    machine: of<MachineWant>("proxmox/machine"),
    iso: of<IsoWant>("proxmox/iso-detached"),
  };
}

test.each(["9.2", "8.4"] as const)(
  "on Proxmox %s the machine has an empty disk before the ISO in its boot order, and the ISO is taken out once",
  async (version) => {
    await using site = await proxmoxSite({ version });
    const { image, machine, iso } = graphOf(site);
    expect(image.want.url).toMatch(/\/v1\.13\.9\/nocloud-amd64\.iso$/);
    expect(image.name).toBe("ISO on one");
    expect(iso).toMatchObject({
      title: "Detach the ISO from machine cp-1",
      after: ["lab/machine/cp-1", "lab/config/cp-1"],
    });
    await site.resource(image.kind).create(site.ctx, image.want);
    const machines = site.resource(machine.kind);
    await machines.create(site.ctx, machine.want);
    expect(await site.client.machineConfig(machineAt)).toMatchObject({
      boot: "order=scsi0;ide0",
      ide0: expect.stringMatching(/^local:iso\/slipway-talos-1\.13\.9-\w{12}-nocloud-amd64\.iso,/) as string,
      scsi30: expect.stringContaining("cloudinit") as string,
      scsi0: expect.stringContaining("size=20G") as string,
    });
    // Nothing may be installed to a disk that is meant for data, so there is none yet.
    expect(await site.client.machineConfig(machineAt)).not.toHaveProperty("scsi1");
    expect(machines.compare(machine.want, await machines.read(site.ctx, machine.want))).toEqual({
      same: true,
    });

    const detached = site.resource(iso.kind);
    const before = await detached.read(site.ctx, iso.want);
    expect(detached.compare(iso.want, before)).toMatchObject({ action: "update", consequence: "hot" });
    await detached.update(site.ctx, iso.want, before);
    const { now, next } = await site.client.machineState(machineAt);
    expect(now["ide0"]).toBe("none,media=cdrom");
    expect(now["scsi1"]).toContain("size=5G");
    expect(next).toMatchObject({ boot: "order=scsi0" });
    expect(next["ide0"]).toBeUndefined();
    const after = await detached.read(site.ctx, iso.want);
    expect(detached.compare(iso.want, after)).toEqual({ same: true });
    expect(machines.compare(machine.want, await machines.read(site.ctx, machine.want))).toEqual({
      same: true,
    });
    const { images } = await site.provider.survey(site.ctx, [one]);
    expect(images.map((each) => each.file)).toEqual([image.want.file]);
  },
);

test("a run cut between taking the disc out and mending the boot order is finished by the next", async () => {
  await using site = await proxmoxSite();
  const { image, machine, iso } = graphOf(site);
  await site.resource(image.kind).create(site.ctx, image.want);
  await site.resource(machine.kind).create(site.ctx, machine.want);
  await (await site.client.changeMachine(machineAt, { ide0: "none,media=cdrom" })).wait();
  const detached = site.resource(iso.kind);
  expect(detached.compare(iso.want, await detached.read(site.ctx, iso.want))).toMatchObject({ same: false });
  await detached.update(site.ctx, iso.want, undefined);
  expect(detached.compare(iso.want, await detached.read(site.ctx, iso.want))).toEqual({ same: true });
});

test("a disc that somebody has put into the drive afterwards is theirs and stays", async () => {
  await using site = await proxmoxSite({
    datacenter: `images: [{ storage: local, node: pve1, file: iso/rescue.iso, size: 1GiB }]`,
  });
  const { image, machine, iso } = graphOf(site);
  await site.resource(image.kind).create(site.ctx, image.want);
  await site.resource(machine.kind).create(site.ctx, machine.want);
  const detached = site.resource(iso.kind);
  await detached.update(site.ctx, iso.want, undefined);
  await (await site.client.changeMachine(machineAt, { ide0: "local:iso/rescue.iso,media=cdrom" })).wait();
  expect(detached.compare(iso.want, await detached.read(site.ctx, iso.want))).toEqual({ same: true });
});

test("an ISO that is already there is neither fetched nor counted as ours", async () => {
  await using site = await proxmoxSite({
    datacenter: `images: [{ storage: local, node: pve1, file: iso/talos.iso, size: 1GiB }]`,
  });
  const { image, machine, iso } = graphOf(site, {
    bootSource: { kind: "iso", volume: "local:iso/talos.iso" },
  });
  expect(image).toBeUndefined();
  expect(machine.after).toEqual([]);
  expect(machine.facts).toMatchObject({ from: "ISO local:iso/talos.iso" });
  await site.resource(machine.kind).create(site.ctx, machine.want);
  expect((await site.client.machineConfig(machineAt))["ide0"]).toMatch(/^local:iso\/talos\.iso,/);
  await site.resource(iso.kind).update(site.ctx, iso.want, undefined);
  expect((await site.client.machineConfig(machineAt))["ide0"]).toBe("none,media=cdrom");
  expect((await site.provider.survey(site.ctx, [one])).images).toEqual([]);
});

test("ISOs go to the storage for them, and an arm64 machine has its ISO on SCSI", async () => {
  await using site = await proxmoxSite();
  const host = siteHost("one", "pve1", { storage: siteStorages({ isos: "discs" }) });
  const { distribution } = siteCluster([]);
  const { image, machine, iso } = graphOf(
    site,
    { distribution: { ...distribution, architecture: "arm64" } },
    host,
  );
  expect(image.want).toMatchObject({
    storage: "discs",
    file: expect.stringMatching(/arm64\.iso$/) as string,
  });
  expect(machine.want.from).toMatchObject({ volume: `discs:iso/${image.want.file}` });
  expect(iso.want.slot).toBe("scsi29");
});
