import { afterAll, beforeAll, expect, test } from "vitest";
import { apiVersion, type RolloutPhase, type SlipwayRollout } from "../../src/controller/index.ts";
import {
  clusterObject,
  fleetSite,
  hostsObject,
  isReady,
  namespace,
  type FleetSite,
} from "../support/controller/fleet-site.ts";
import { whole } from "../support/whole-sweep.ts";

const net = "127.46.4";
const names = ["a", "b", "c"];
let site: FleetSite;

beforeAll(async () => {
  site = await fleetSite({ net });
  await site.start("one");
  await site.kube.apply(hostsObject(net, { runs: 2 }));
  for (const [index, name] of names.entries()) {
    const object = clusterObject(name, net, { first: 20 + 10 * index, cluster: { workers: { count: 0 } } });
    // The version is left to the roll-out: others own it nowhere.
    await site.kube.apply({ ...object, metadata: { ...object.metadata, labels: { tier: "lab" } } });
    await site.kube.apply(
      {
        apiVersion,
        kind: "SlipwayCluster",
        metadata: { name, namespace },
        spec: { cluster: { kubernetes: "1.36.2" } },
      },
      { fieldManager: "somebody" },
    );
  }
  for (const name of names) await site.untilCluster(name, isReady);
});

afterAll(() => site.close());

const rollout = (name: string, change: Record<string, unknown>) => ({
  apiVersion,
  kind: "SlipwayRollout",
  metadata: { name, namespace },
  spec: {
    selector: { matchLabels: { tier: "lab" } },
    change,
    rings: [
      { name: "canary", clusters: 1 },
      { name: "all", clusters: "100%" },
    ],
    soak: "10m",
  },
});
const find = (name: string) =>
  site.kube.get<SlipwayRollout>({ apiVersion, kind: "SlipwayRollout", name, namespace });
const until = (name: string, phase: RolloutPhase) =>
  site.time.until(async () => (await find(name))?.status?.phase === phase);
const versions = async (): Promise<unknown[]> =>
  Promise.all(names.map(async (name) => (await site.cluster(name))?.spec.cluster["kubernetes"]));
const running = async () =>
  Promise.all(names.map(async (name) => (await site.cluster(name))?.status?.kubernetesVersion));

test("patch versions go to one cluster, which has to stay healthy, and then to all", whole, async () => {
  expect(await running()).toEqual(["1.36.2", "1.36.2", "1.36.2"]);
  await site.kube.apply(rollout("patches", { patches: true }));
  await until("patches", "Soaking");
  const began = site.time.clock.now();
  expect(await versions()).toEqual(["1.36.3", "1.36.2", "1.36.2"]);
  expect((await find("patches"))?.status).toMatchObject({
    ring: "canary",
    rings: [
      { clusters: 1, updated: 1 },
      { clusters: 2, updated: 0 },
    ],
  });
  await until("patches", "RollingOut");
  expect(site.time.clock.now() - began).toBeGreaterThanOrEqual(9.5 * 60_000);
  await until("patches", "Done");
  expect(await running()).toEqual(["1.36.3", "1.36.3", "1.36.3"]);
  await site.kube.delete({ apiVersion, kind: "SlipwayRollout", name: "patches", namespace });
});

test("it stops at the first cluster that fails, and no other is touched", whole, async () => {
  await site.kube.apply(rollout("bad", { versions: { kubernetes: "1.99.0" } }));
  await until("bad", "Stopped");
  expect((await find("bad"))?.status?.rings).toMatchObject([
    { name: "canary", failed: ["a"] },
    { name: "all", updated: 0, failed: [] },
  ]);
  await site.time.clock.sleep(60 * 60_000);
  expect(await versions()).toEqual(["1.99.0", "1.36.3", "1.36.3"]);
  expect((await site.cluster("b"))?.status?.phase).toBe("Ready");
});
