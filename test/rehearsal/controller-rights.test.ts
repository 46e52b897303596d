import { generateIdentity } from "age-encryption";
import { afterAll, beforeAll, expect, test } from "vitest";
import { controllerRules } from "../../src/addons/slipway/manifests.ts";
import { conditionOf, connectKube } from "../../src/clients/kube/index.ts";
import { apiVersion, type SlipwayRollout } from "../../src/controller/index.ts";
import { documentsFor, documentsName, hostsWithKey } from "../support/controller/documents.ts";
import {
  clusterObject,
  fleetSite,
  isReady,
  namespace,
  type SimulatedFleetSite,
  type StartedController,
} from "../support/controller/fleet-site.ts";
import {
  controllerUser,
  grant,
  oldRuns,
  questionOf,
  rulesWithout,
  shippedRights,
  usedRights,
} from "../support/controller/rights.ts";

/** The controller with the rights it is shipped with: it needs each of them, and no other. */

const net = "127.46.12";
let site: SimulatedFleetSite;
let controller: StartedController;

beforeAll(async () => {
  site = await fleetSite({ net });
  await grant(site.kube, controllerRules);
  for (const run of oldRuns("lab")) await site.kube.create(run);
  controller = await site.start("one", { access: await site.accessAs(controllerUser) });
  const identity = await generateIdentity();
  const { key, hosts } = hostsWithKey(net, identity);
  for (const object of [key, hosts, await documentsFor(identity)]) await site.kube.apply(object);
});

afterAll(() => site.close());

const lab = (spec: Record<string, unknown>) => {
  const secrets = { documents: { configMap: documentsName } };
  return site.kube.apply(clusterObject("lab", net, { spec: { secrets, ...spec } }), { isForced: true });
};

test("a cluster lives from the first to the last day within them, and all of them are used", async () => {
  await lab({ publishKubeconfig: true });
  await site.untilCluster("lab", isReady);
  // The same is told a second time, which is the same Event.
  await lab({ publishKubeconfig: true, apply: "Never", paused: true });
  await site.untilCluster("lab", isReady);
  await site.datacenter.proxmox.cutPower(3010);
  await site.untilCluster("lab", (each) => !isReady(each));
  await lab({ publishKubeconfig: true, deletion: "Delete" });
  await site.untilCluster("lab", isReady);
  await site.kube.apply({
    ...{ apiVersion, kind: "SlipwayRollout", metadata: { name: "patches", namespace } },
    spec: {
      selector: { matchLabels: { tier: "none" } },
      change: { patches: true },
      rings: [{ name: "all", clusters: "100%" }],
    },
  });
  const ref = { apiVersion, kind: "SlipwayRollout", name: "patches", namespace };
  await site.time.until(async () => (await site.kube.get<SlipwayRollout>(ref))?.status?.phase === "Done");
  await site.kube.delete({ apiVersion, kind: "SlipwayCluster", name: "lab", namespace });
  await site.time.until(async () => (await site.cluster("lab")) === undefined);
  expect(controller.logs.filter((line) => line.includes("KUBE_FORBIDDEN"))).toEqual([]);
  expect(usedRights(controller.calls)).toEqual(shippedRights());
});

test("what it does is refused once the right to it is taken away, one right at a time", async () => {
  const client = connectKube({
    kubeconfig: await site.accessAs(controllerUser),
    ...{ dial: site.dial, clock: site.time.clock },
  });
  try {
    for (const right of shippedRights()) {
      await grant(site.kube, rulesWithout(right));
      const answers = await Promise.all(
        shippedRights().map(async (each) => [each, (await client.mayI(questionOf(each))).isAllowed]),
      );
      expect(answers.filter(([, isAllowed]) => isAllowed !== true)).toEqual([[right, false]]);
    }
    await grant(site.kube, controllerRules);
    const elsewhere = { ...questionOf(" secrets get"), namespace: "kube-system" };
    expect((await client.mayI(elsewhere)).isAllowed).toBe(false);
  } finally {
    client.close();
  }
});

test("a controller without a right says which call was refused", async () => {
  await grant(site.kube, rulesWithout(" configmaps get"));
  await lab({});
  const refused = await site.untilCluster("lab", (each) =>
    (conditionOf(each, "Ready")?.message ?? "").includes("KUBE_FORBIDDEN"),
  );
  expect(conditionOf(refused, "Ready")?.message).toContain("configmaps");
});
