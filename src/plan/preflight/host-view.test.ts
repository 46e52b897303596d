import { expect, test } from "vitest";
import { libvirtHostNamed } from "../../../test/support/libvirt/site.ts";
import { emptySurvey, siteCluster, siteNode } from "../../../test/support/proxmox/site.ts";
import { hostRegistry } from "./host-registry.ts";
import { hostsToCheck, hostViews, once, type Wanted } from "./host-view.ts";

const [a, b] = [libvirtHostNamed("a"), libvirtHostNamed("b")];
const unreachableBecause = {
  code: "LIBVIRT_NOT_RUNNING",
  what: "Cannot ask",
  why: "it is off",
  next: "Start it",
};
const placedOn = (host: typeof a, name: string, on?: string) => ({
  node: siteNode(name),
  host,
  ...(on !== undefined && { on }),
});

function viewOf(more: Partial<Wanted<typeof a>> = {}) {
  const registry = hostRegistry([a, b], async ({ name }) => `to ${name}`);
  const placed = [placedOn(a, "cp-1"), placedOn(b, "cp-2"), placedOn(a, "cp-3", "elsewhere")];
  const cluster = siteCluster(
    placed.map(({ node }) => node),
    { on: ["a", "b", "c"] },
  );
  const wanted = { cluster, placed, all: new Map(), survey: emptySurvey(), ...more };
  return { registry, wanted, view: hostViews(registry, wanted)(a) };
}

test("a host is asked only for the nodes that stand on it, not for those it merely answers for", async () => {
  const { view } = viewOf();
  expect(view.placed.map(({ node }) => node.name)).toEqual(["cp-1"]);
  expect(view.nodesHere.map(({ node }) => node.name)).toEqual(["cp-1"]);
  expect(await view.client()).toBe("to a");
});

test("nodes of the other clusters of the run count on the host too", () => {
  const all = new Map([
    ["lab", [placedOn(a, "cp-1")]],
    ["edge", [placedOn(a, "cp-1"), placedOn(b, "cp-2"), placedOn(a, "cp-3", "elsewhere")]],
  ]);
  const here = viewOf({ all }).view.nodesHere;
  expect(here.map(({ cluster, node }) => `${cluster}/${node.name}`)).toEqual(["lab/cp-1", "edge/cp-1"]);
});

test("while a host of the cluster is silent, every host is looked at and none knows its nodes", () => {
  const { registry, wanted, view } = viewOf();
  expect([view.isUndecided, hostsToCheck(registry, wanted)]).toEqual([false, [a, b]]);
  const survey = emptySurvey({ unreachable: [{ host: "b", error: unreachableBecause }] });
  const cluster = { ...wanted.cluster, on: ["b", "a"] };
  const undecided = viewOf({ survey, cluster, placed: [placedOn(a, "cp-1")] });
  expect(undecided.view).toMatchObject({ isUndecided: true, unreachableBecause: undefined });
  expect(hostsToCheck(undecided.registry, undecided.wanted)).toEqual([b, a]);
  expect(hostViews(undecided.registry, undecided.wanted)(b).unreachableBecause).toBe(unreachableBecause);
});

test("what several checks ask for is read once", async () => {
  let reads = 0;
  const read = once(async () => ++reads);
  const { signal } = new AbortController();
  expect(await Promise.all([read(signal), read(signal)])).toEqual([1, 1]);
});
