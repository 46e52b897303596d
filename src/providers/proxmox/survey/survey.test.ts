import { vmidOf } from "../machine/machine-want.ts";
import { takenVmids } from "../vmids.ts";
import { expect, test } from "vitest";
import {
  siteNeeds,
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNode,
} from "../../../../test/support/proxmox/site.ts";
import type { ReadContext } from "../../../plan/index.ts";

const one = siteHost("one", "pve1");
const two = siteHost("two", "pve2");
const cluster = siteCluster([
  siteNode("cp-1"),
  siteNode("worker-1", { address: "10.1.0.21", mac: "02:aa:bb:cc:dd:02", dataDisks: [{ sizeGiB: 5 }] }),
]);
const placed = [
  { node: cluster.nodes[0] ?? siteNode("cp-1"), host: one, id: 2000 },
  { node: cluster.nodes[1] ?? siteNode("worker-1"), host: two, id: 3000 },
];

test("a survey tells our machines, our images, everybody's VMIDs, and what the hosts offer", async () => {
  await using site = await proxmoxSite({
    datacenter: `vms: { "100": { node: pve2, config: { name: other, memory: 512 } } }`,
  });
  const graph = site.provider.describe(cluster, placed, siteNeeds());
  for (const node of graph) await site.resource(node.kind).create(site.ctx, node.want);
  const survey = await site.freshProvider().survey(site.ctx, [one, two]);
  expect(survey.machines.toSorted((a, b) => vmidOf(a) - vmidOf(b))).toMatchObject([
    {
      cluster: "lab",
      node: "cp-1",
      role: "control-plane",
      host: "one",
      id: 2000,
      isRunning: true,
      dataDisksGiB: [],
    },
    {
      cluster: "lab",
      node: "worker-1",
      role: "worker",
      host: "two",
      id: 3000,
      isRunning: true,
      dataDisksGiB: [5],
    },
  ]);
  expect(survey.images.map((image) => image.host)).toEqual(["one", "two"]);
  expect([...takenVmids(survey, "one")].toSorted((a, b) => a - b)).toEqual([100, 2000, 3000]);
  expect(survey.hosts).toMatchObject([
    { host: "one", software: "Proxmox VE 9.2.11", cores: 8, memoryMiB: 32 * 1024 },
    { host: "two", cores: 8 },
  ]);
});

test("hosts of one Proxmox cluster are asked once, and the plan after it asks nothing again", async () => {
  await using site = await proxmoxSite();
  const provider = site.freshProvider();
  const { own = {} } = await provider.survey(site.ctx, [one, two]);
  expect(site.faults.seen.filter((call) => call === "proxmox GET /cluster/resources")).toHaveLength(1);
  const asked = site.faults.seen.length;
  const machines = provider
    .describe(cluster, placed, siteNeeds())
    .filter((node) => node.kind === "proxmox/machine");
  const read = (want: unknown, ctx: ReadContext) => site.resource("proxmox/machine").read(ctx, want);
  for (const { want } of machines) expect(await read(want, { ...site.ctx, seen: own })).toBeUndefined();
  expect(site.faults.seen).toHaveLength(asked);
  // Only what was handed on counts: a session has no memory of its own.
  await read(machines[0]?.want, site.ctx);
  expect(site.faults.seen.length).toBeGreaterThan(asked);
});

test("a machine still being created by a run that was cut is waited for and found", async () => {
  await using site = await proxmoxSite({ latencies: { importMs: 4_000 } });
  const [image, , machine] = site.provider.describe(cluster, placed, siteNeeds());
  await site.resource("proxmox/image").create(site.ctx, image?.want);
  const stop = new AbortController();
  const first = site.resource("proxmox/machine").create(site.contextFor(stop.signal), machine?.want);
  while ((await site.client.machines("pve1")).length === 0) await site.clock.sleep(100);
  stop.abort(new Error("killed"));
  await first.catch(() => undefined);
  const survey = await site.freshProvider().survey(site.ctx, [one, two]);
  expect(survey.machines).toMatchObject([{ node: "cp-1", isRunning: false }]);
});

test.each(["9.2", "8.4"] as const)(
  "on Proxmox %s leftovers become removals that find everything again",
  async (version) => {
    await using site = await proxmoxSite({ version });
    for (const node of site.provider.describe(cluster, placed, siteNeeds())) {
      await site.resource(node.kind).create(site.ctx, node.want);
    }
    const provider = site.freshProvider();
    const survey = await provider.survey(site.ctx, [one, two]);
    const removalScope = { losesData: true, clusters: ["lab"] };
    const graph = provider.describeLeftovers(
      survey,
      ({ cluster: name }) => name === "lab",
      new Set(),
      removalScope,
    );
    expect(graph.map((node) => node.name).toSorted()).toEqual([
      "image on one",
      "image on two",
      "machine cp-1",
      "machine worker-1",
    ]);
    for (const node of graph) {
      const resource = site.resource(node.kind, provider);
      await resource.remove(site.ctx, await resource.read(site.ctx, node.want));
    }
    const after = await provider.survey(site.ctx, [one, two]);
    expect(after).toMatchObject({ machines: [], images: [] });
    expect([...takenVmids(after, "one")]).toEqual([]);
  },
);

test("images in keepImages stay", async () => {
  await using site = await proxmoxSite();
  const [image] = site.provider.describe(cluster, placed, siteNeeds());
  await site.resource("proxmox/image").create(site.ctx, image?.want);
  const survey = await site.provider.survey(site.ctx, [one, two]);
  expect(
    site.provider.describeLeftovers(survey, () => true, new Set(site.provider.imagesOf([cluster]))),
  ).toEqual([]);
});
