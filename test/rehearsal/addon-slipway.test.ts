import { afterAll, beforeAll, expect, test } from "vitest";
import { addonSite, fleetWith, type AddonSite } from "../support/addons/site.ts";
import { errorsIn } from "../support/sim/rehearsal-site.ts";

/** The controller on a cluster that Slipway made. One cluster, in order. */

const namespace = "slipway-system";
const withIt = fleetWith(["slipway"]);
const elsewhere = fleetWith(['slipway: { image: "registry.lan/slipway:0.1.0" }']);
const without = fleetWith([]);
const deployment = { apiVersion: "apps/v1", kind: "Deployment", namespace, name: "slipway-controller" };
const kinds = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
let site: AddonSite;

beforeAll(async () => {
  site = await addonSite(withIt);
});

afterAll(() => site?.[Symbol.asyncDispose]());

const kindNames = async () =>
  (await site.kube.list(kinds)).items
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.endsWith(".slipway.dev"));

test("the kinds are served, the pods fit the namespace, one leads, and a second plan finds nothing to do", async () => {
  expect(await kindNames()).toHaveLength(4);
  const pods = await site.kube.list({ apiVersion: "v1", kind: "Pod", namespace });
  expect(pods.items).toHaveLength(2);
  const lease = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    namespace,
    name: "slipway-controller",
  };
  expect(await site.kube.get(lease)).toMatchObject({ spec: { holderIdentity: "slipway-controller-0" } });
  expect(await site.changes(withIt)).toEqual([]);
});

test("another image is one change, and reaches the Deployment", async () => {
  expect(await site.changes(elsewhere)).toHaveLength(1);
  const { events } = await site.up(elsewhere);
  expect(errorsIn(events)).toEqual([]);
  expect(await site.kube.get(deployment)).toMatchObject({
    spec: { template: { spec: { containers: [{ image: "registry.lan/slipway:0.1.0" }] } } },
  });
});

test("without the add-on the controller goes; the kinds, and with them all objects, stay", async () => {
  const { events } = await site.up(without);
  expect(errorsIn(events)).toEqual([]);
  expect(await site.kube.get(deployment)).toBeUndefined();
  expect(await kindNames()).toHaveLength(4);
});
