import { expect, test } from "vitest";
import {
  siteNeeds,
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNode,
  type ProxmoxSite,
} from "../../../../test/support/proxmox/site.ts";
import { errorData } from "../../../errors/index.ts";
import type { GraphNode, Provider } from "../../../plan/index.ts";
import { talosOf, type TalosDistribution } from "../../../spec/index.ts";
import type { ImageWant } from "./image-volume.ts";

function imageOf(provider: Provider, distribution: Partial<TalosDistribution> = {}): ImageWant {
  const base = siteCluster([siteNode("cp-1")]);
  const cluster = { ...base, distribution: { ...talosOf(base), ...distribution } };
  const host = siteHost("one", "pve1");
  const [image] = provider.describe(cluster, [{ node: siteNode("cp-1"), host, id: 2000 }], siteNeeds());
  return (image as GraphNode<ImageWant>).want;
}

const downloads = (site: ProxmoxSite) =>
  site.faults.seen.filter((call) => call.includes("download-url")).length;

test("the node fetches the image itself, and it is found again by its name", async () => {
  await using site = await proxmoxSite({ latencies: { downloadMs: 30_000 } });
  const want = imageOf(site.provider);
  const resource = site.resource("proxmox/image");
  expect(await resource.read(site.ctx, want)).toBeUndefined();
  await resource.create(site.ctx, want);
  expect(await resource.read(site.ctx, want)).toMatchObject({ file: want.file, storage: "local" });
  expect(want.file).toMatch(/^slipway-talos-1\.13\.9-[0-9a-f]{12}-nocloud-amd64\.qcow2$/);
});

test("an image that appeared meanwhile is taken as it is", async () => {
  await using site = await proxmoxSite();
  const want = imageOf(site.provider);
  const resource = site.resource("proxmox/image");
  const first = await resource.create(site.ctx, want);
  expect(await resource.create(site.ctx, want)).toEqual(first);
});

test("a download that is already running is waited for, not started twice", async () => {
  await using site = await proxmoxSite({ latencies: { downloadMs: 10_000 } });
  const want = imageOf(site.provider);
  const resource = site.resource("proxmox/image");
  const first = resource.create(site.ctx, want);
  while ((await site.client.runningTasks("pve1")).length === 0) await site.clock.sleep(100);
  await Promise.all([first, site.resource("proxmox/image", site.provider).create(site.ctx, want)]);
  expect(downloads(site)).toBe(1);
});

test("a failed download names the node, the address and the reason, but no password", async () => {
  await using site = await proxmoxSite();
  const url = "https://me:hunter2@images.invalid/talos.qcow2?sig=abc";
  const want = imageOf(site.provider, { image: { url } });
  const failure = site.resource("proxmox/image").create(site.ctx, want);
  await expect(failure).rejects.toMatchObject({
    code: "PVE_IMAGE_NOT_FETCHED",
    why: expect.stringContaining("pve1 tried to fetch https://images.invalid/talos.qcow2") as string,
  });
  const told = JSON.stringify(errorData(await failure.catch((error: unknown) => error)));
  expect(told).not.toMatch(/hunter2|sig=abc/);
});

test("remove() takes the image away, twice if need be", async () => {
  await using site = await proxmoxSite();
  const want = imageOf(site.provider);
  const resource = site.resource("proxmox/image");
  const have = await resource.create(site.ctx, want);
  await resource.remove(site.ctx, have);
  await resource.remove(site.ctx, have);
  expect(await resource.read(site.ctx, want)).toBeUndefined();
});
