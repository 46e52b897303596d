import { expect, test } from "vitest";
import {
  siteNeeds,
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNode,
} from "../../../../test/support/proxmox/site.ts";
import type { ImageChoice } from "../../../images/index.ts";
import { same, type GraphNode } from "../../../plan/index.ts";
import type { ImageWant } from "../image/image-volume.ts";
import type { MachineWant } from "./machine-want.ts";
import { talosOf } from "../../../spec/index.ts";

const node = siteNode("cp-1", { dataDisks: [{ sizeGiB: 10 }] });

/** Makes one machine and gives what Proxmox then has of it. */
async function make(choice: Pick<Partial<ImageChoice>, "architecture" | "isSecureBoot">) {
  await using site = await proxmoxSite();
  const base = siteCluster([node]);
  const cluster = { ...base, distribution: { ...talosOf(base), ...choice } };
  const graph = site.provider.describe(
    cluster,
    [{ node, host: siteHost("one", "pve1"), id: 2000 }],
    siteNeeds(),
  );
  const [image, machine] = graph as [GraphNode<ImageWant>, GraphNode<MachineWant>];
  await site.resource("proxmox/image").create(site.ctx, image.want);
  const resource = site.resource("proxmox/machine");
  const have = await resource.create(site.ctx, machine.want);
  return {
    file: image.want.file,
    url: image.want.url,
    config: site.proxmox.state().vms["2000"]?.config ?? {},
    difference: resource.compare(machine.want, have),
  };
}

test("an amd64 machine starts from BIOS, with its seed on a bus that every cloud kernel knows [proxmox 4]", async () => {
  const { config, difference } = await make({});
  expect(config).toMatchObject({
    cpu: "x86-64-v2-AES",
    scsi30: expect.stringContaining("cloudinit") as string,
  });
  for (const key of ["ide2", "bios", "machine", "arch", "efidisk0", "tpmstate0"])
    expect(config).not.toHaveProperty(key);
  expect(difference).toEqual(same);
});

test("secure boot gets firmware without keys of others, and a TPM", async () => {
  const { config, file, url, difference } = await make({ isSecureBoot: true });
  expect(config).toMatchObject({
    bios: "ovmf",
    machine: "q35",
    efidisk0: expect.stringContaining("pre-enrolled-keys=0") as string,
    tpmstate0: expect.stringContaining("version=v2.0") as string,
  });
  expect(file).toMatch(/-nocloud-amd64-secureboot\.qcow2$/);
  expect(url).toMatch(/\/nocloud-amd64-secureboot\.qcow2$/);
  expect(difference).toEqual(same);
});

test("an arm64 machine is a virt machine whose seed is no data disk", async () => {
  const { config, file, difference } = await make({ architecture: "arm64" });
  expect(config).toMatchObject({
    arch: "aarch64",
    machine: "virt",
    bios: "ovmf",
    cpu: "max",
    scsi30: expect.stringContaining("cloudinit") as string,
  });
  expect(config).not.toHaveProperty("ide2");
  expect(config).not.toHaveProperty("tpmstate0");
  expect(file).toMatch(/-nocloud-arm64\.qcow2$/);
  expect(difference).toEqual(same);
});
