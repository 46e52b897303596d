import { afterAll, beforeAll, expect, test } from "vitest";
import { conditionOf } from "../../src/clients/kube/index.ts";
import {
  clusterObject,
  fleetSite,
  hostsObject,
  type FleetSite,
  type StartedController,
} from "../support/controller/fleet-site.ts";

const net = "127.46.1";
let site: FleetSite;
let controller: StartedController;

beforeAll(async () => {
  site = await fleetSite({ net, withSecrets: ["lab"] });
  controller = await site.start("one");
}, 120_000);

afterAll(() => site.close());

test("a cluster is made as its object says", { timeout: 120_000 }, async () => {
  await site.kube.apply(hostsObject(net));
  await site.kube.apply(clusterObject("lab", net));
  const found = await site
    .untilCluster("lab", (each) => conditionOf(each, "Ready")?.status === "True")
    .catch(async (thrown) => {
      console.log(
        controller.logs.join("\n"),
        JSON.stringify(await site.cluster("lab"), null, 1).slice(-6000),
      );
      throw thrown;
    });
  expect(found.status).toMatchObject({
    phase: "Ready",
    nodes: { wanted: 2, ready: 2 },
    kubeconfig: "lab-kubeconfig",
  });
});
