import { afterAll, beforeAll, expect, test } from "vitest";
import { conditionOf } from "../../src/clients/kube/index.ts";
import { apiVersion, type SlipwayRollout } from "../../src/controller/index.ts";
import {
  clusterObject,
  fleetSite,
  hostsObject,
  isReady,
  namespace,
  type FleetSite,
} from "../support/controller/fleet-site.ts";

/** Patch versions that come by themselves, and wait for the night. */

const net = "127.46.11";
let site: FleetSite;

beforeAll(async () => {
  site = await fleetSite({ net, withSecrets: ["lab"] });
  await site.start("one");
  await site.kube.apply(hostsObject(net));
});

afterAll(() => site.close());

const minuteMs = 60_000;
const rollouts = () =>
  site.kube.get<SlipwayRollout>({ apiVersion, kind: "SlipwayRollout", name: "patches", namespace });

test("patch versions are taken by themselves, and only while the window is open", async () => {
  const begunMs = site.time.clock.now();
  const at = (minutes: number): string => new Date(begunMs + minutes * minuteMs).toISOString().slice(11, 16);
  const window = { from: at(60), to: at(120) };
  const object = clusterObject("lab", net, { cluster: { rollout: { window } } });
  await site.kube.apply({ ...object, metadata: { ...object.metadata, labels: { tier: "lab" } } });
  // Versions are left to the roll-out: whoever makes the object does not say them.
  await site.kube.apply(
    {
      ...{ apiVersion, kind: "SlipwayCluster", metadata: { name: "lab", namespace } },
      spec: { cluster: { talos: { version: "1.13.2" }, kubernetes: "1.36.2" } },
    },
    { fieldManager: "somebody" },
  );
  await site.untilCluster("lab", isReady);
  await site.kube.apply({
    ...{ apiVersion, kind: "SlipwayRollout", metadata: { name: "patches", namespace } },
    spec: {
      selector: { matchLabels: { tier: "lab" } },
      change: { patches: true },
      rings: [{ name: "all", clusters: "100%" }],
    },
  });

  const waiting = await site.untilCluster("lab", ({ status }) => status?.phase === "Waiting");
  expect(waiting.spec.cluster).toMatchObject({ talos: { version: "1.13.9" }, kubernetes: "1.36.3" });
  expect(conditionOf(waiting, "Ready")).toMatchObject({ status: "False", reason: "WaitingForWindow" });
  await site.time.clock.sleep(20 * minuteMs);
  expect((await site.cluster("lab"))?.status?.osVersion).toBe("Talos (v1.13.2)");
  expect((await rollouts())?.status?.phase).toBe("RollingOut");

  const done = await site.untilCluster("lab", isReady);
  // A window begins and ends with a minute.
  const passed = (site.time.clock.now() - begunMs) / minuteMs;
  expect(passed).toBeGreaterThan(59);
  expect(passed).toBeLessThan(120);
  expect(done.status).toMatchObject({ osVersion: "Talos (v1.13.9)", kubernetesVersion: "1.36.3" });
  await site.time.until(async () => (await rollouts())?.status?.phase === "Done");
});
