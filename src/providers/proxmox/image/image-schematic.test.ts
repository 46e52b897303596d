import { expect, test } from "vitest";
import {
  siteNeeds,
  emptySurvey,
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNode,
  type ProxmoxSite,
} from "../../../../test/support/proxmox/site.ts";
import { schematicId } from "../../../images/index.ts";
import type { Check, Finding, Graph, GraphNode } from "../../../plan/index.ts";
import { type Cluster, talosOf, type TalosDistribution } from "../../../spec/index.ts";
import type { ImageWant } from "./image-volume.ts";
import type { SchematicWant } from "./image-schematic.ts";

const host = siteHost("one", "pve1");
const placed = [{ node: siteNode("cp-1"), host, id: 2000 }];
const extensions = ["siderolabs/qemu-guest-agent"];
const id = schematicId({ officialExtensions: extensions });

const clusterWith = (distribution: Partial<TalosDistribution>): Cluster => {
  const base = siteCluster([siteNode("cp-1")]);
  return { ...base, distribution: { ...talosOf(base), ...distribution } };
};

function graphOf(site: ProxmoxSite, distribution: Partial<TalosDistribution> = { extensions }): Graph {
  return site.provider.describe(clusterWith(distribution), placed, siteNeeds());
}

function wantsOf(graph: Graph) {
  const of = (kind: string) => graph.find((node) => node.kind === kind);
  return {
    schematic: (of("factory/schematic") as GraphNode<SchematicWant>).want,
    image: (of("proxmox/image") as GraphNode<ImageWant>).want,
  };
}

const nothing = emptySurvey();

async function finding(site: ProxmoxSite, cluster: Cluster, survey = nothing): Promise<Finding | undefined> {
  const checks: Check[] = site.provider.preflight(cluster, placed, survey);
  return checks.find((check) => check.id === "factory-extensions")?.run(site.ctx);
}

test("an image with extensions is registered before it is fetched; the plain one needs no factory", async () => {
  await using site = await proxmoxSite({ factory: {} });
  const [schematic, image] = graphOf(site);
  expect(schematic).toMatchObject({ id: "lab/image/schematic", kind: "factory/schematic", group: "images" });
  expect(image?.after).toEqual(["lab/image/schematic"]);
  const plain = graphOf(site, { extensions: [] });
  expect(plain.map((node) => node.kind)).toEqual(["proxmox/image", "proxmox/machine"]);
  expect(plain[0]?.after).toEqual([]);
});

test("the node finds the image only after its schematic was registered", async () => {
  await using site = await proxmoxSite({ factory: {} });
  const want = wantsOf(graphOf(site));
  const schematic = site.resource("factory/schematic");
  const image = site.resource("proxmox/image");
  expect(await schematic.read(site.ctx, want.schematic)).toBeUndefined();
  await expect(image.create(site.ctx, want.image)).rejects.toMatchObject({ code: "PVE_IMAGE_NOT_FETCHED" });
  const have = await schematic.create(site.ctx, want.schematic);
  expect(have).toEqual({ id, isKnown: true });
  expect(schematic.out?.(have)).toEqual({ schematic: id });
  expect(await schematic.read(site.ctx, want.schematic)).toEqual({ id, isKnown: true });
  await image.create(site.ctx, want.image);
  expect(site.factory?.schematics()).toContain(id);
});

test("once the image lies on every host the factory is not asked", async () => {
  await using site = await proxmoxSite({ factory: {} });
  const want = wantsOf(graphOf(site));
  await site.resource("factory/schematic").create(site.ctx, want.schematic);
  await site.resource("proxmox/image").create(site.ctx, want.image);
  const before = site.faults.seen.length;
  expect(await site.resource("factory/schematic").read(site.ctx, want.schematic)).toBeDefined();
  const asked = site.faults.seen.slice(before).filter((call) => call.startsWith("factory "));
  expect(asked).toEqual([]);
});

test.each(["error", "refuse", "hang"] as const)(
  "a factory that cannot be asked (%s) is warned about, and the node's own download decides",
  async (kind) => {
    await using site = await proxmoxSite({
      factory: {},
      faults: [{ call: "factory * /schematics*", kind, times: 20 }],
    });
    const want = wantsOf(graphOf(site));
    const resource = site.resource("factory/schematic");
    expect(await resource.read(site.ctx, want.schematic)).toBeUndefined();
    expect(await resource.create(site.ctx, want.schematic)).toEqual({ id, isKnown: false });
    expect(site.log.join("\n")).toContain("warn: schematic ce4c980550dd could not be registered");
  },
);

test("a factory that comes to another id is told, with the address that would work", async () => {
  await using site = await proxmoxSite({ factory: { owner: "acme" } });
  const want = wantsOf(graphOf(site));
  const theirs = schematicId({ officialExtensions: extensions, owner: "acme" });
  await expect(site.resource("factory/schematic").create(site.ctx, want.schematic)).rejects.toMatchObject({
    code: "FACTORY_OTHER_ID",
    why: expect.stringContaining(theirs) as string,
    next: expect.stringContaining(`https://factory.example/image/${theirs}/`) as string,
  });
});

test("preflight says whether the factory offers the extensions", async () => {
  await using site = await proxmoxSite({ factory: {} });
  expect(await finding(site, clusterWith({ extensions }))).toMatchObject({ status: "ok" });
  expect(await finding(site, clusterWith({ extensions: ["siderolabs/qemu-guest-agnet"] }))).toMatchObject({
    status: "failed",
    error: {
      code: "IMAGE_EXTENSION_UNKNOWN",
      next: expect.stringContaining('"siderolabs/qemu-guest-agent"') as string,
    },
  });
  expect(await finding(site, clusterWith({ extensions: ["siderolabs/i915-ucode"] }))).toMatchObject({
    status: "ok",
  });
  expect(await finding(site, clusterWith({ extensions, version: "1.13.99" }))).toMatchObject({
    status: "failed",
    error: { code: "IMAGE_VERSION_UNKNOWN", next: expect.stringContaining("1.13.15") as string },
  });
});

test("preflight asks nothing for the plain image, nor when the image is on every host", async () => {
  await using site = await proxmoxSite({ factory: {} });
  expect(await finding(site, clusterWith({}))).toBeUndefined();
  const { image } = wantsOf(graphOf(site));
  const there = { ...nothing, images: [{ host: "one", storage: image.storage, file: image.file }] };
  expect(await finding(site, clusterWith({ extensions }), there)).toBeUndefined();
});

test("preflight warns when the factory cannot be asked", async () => {
  await using site = await proxmoxSite({
    factory: {},
    faults: [{ call: "factory *", kind: "refuse", times: 9 }],
  });
  expect(await finding(site, clusterWith({ extensions }))).toMatchObject({
    status: "warned",
    error: { code: "FACTORY_UNREACHABLE" },
  });
});
