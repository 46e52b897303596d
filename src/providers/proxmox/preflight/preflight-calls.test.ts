import { expect, test } from "vitest";
import {
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNeeds,
  siteNode,
} from "../../../../test/support/proxmox/site.ts";

test("a look at two hosts of one Proxmox cluster asks nothing twice", async () => {
  await using site = await proxmoxSite();
  const hosts = [siteHost("one", "pve1"), siteHost("two", "pve2")];
  const nodes = [siteNode("cp-1"), siteNode("worker-1")];
  const placed = hosts.map((host, index) => ({
    node: nodes[index] ?? siteNode("cp-1"),
    host,
    id: 2000 + index,
  }));
  const cluster = siteCluster(nodes);
  const survey = await site.provider.survey(site.ctx, hosts);
  const seen = { ...site.ctx, seen: survey.own ?? {} };
  const graph = site.provider.describe(cluster, placed, siteNeeds(survey));
  const findings = await Promise.all([
    ...site.provider.preflight(cluster, placed, survey).map((check) => check.run(site.ctx)),
    ...graph.map(({ kind, want }) => site.resource(kind).read(seen, want)),
  ]);
  expect(findings.filter((each) => (each as { status?: string } | undefined)?.status === "failed")).toEqual(
    [],
  );
  const count = (call: string) => site.faults.seen.filter((each) => each.endsWith(` ${call}`)).length;
  for (const call of [
    "GET /version",
    "GET /cluster/options",
    "GET /cluster/status",
    "GET /cluster/resources",
  ])
    expect([call, count(call)]).toEqual([call, 1]);
  // Who is online is asked again: the survey may have taken its time.
  expect(count("GET /nodes")).toBe(2);
  for (const call of ["GET /nodes/{node}/status", "GET /nodes/{node}/storage", "GET /nodes/{node}/qemu"])
    expect([call, count(call)]).toEqual([call, hosts.length]);
  // For images and for ISOs.
  expect(count("GET /nodes/{node}/storage/{storage}/content")).toBe(2 * hosts.length);
});
