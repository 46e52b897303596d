import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubeSecret } from "../../src/clients/kube/index.ts";
import { rotateAccount } from "../../src/operations/rotation/account.ts";
import { addonSite, changesIn, fleetWith, type AddonSite } from "../support/addons/site.ts";
import { errorsIn } from "../support/sim/rehearsal-site.ts";

/** Add-ons handed over to GitOps and taken back, and the one thing of them that stays Slipway's. One cluster, in order. */

const podinfo = (version: string, owner: string) =>
  `chart: { name: podinfo, namespace: web, chart: { oci: "oci://ghcr.io/example/charts/podinfo" }, version: ${version}, owner: ${owner} }`;
const ccm = (owner: string) => `proxmox-ccm: { owner: ${owner} }`;

const ours = fleetWith([ccm("slipway"), podinfo("6.9.0", "slipway")]);
const theirs = fleetWith([ccm("gitops"), podinfo("6.9.0", "gitops")]);
const later = fleetWith([ccm("gitops"), podinfo("6.11.0", "gitops")]);
const without = fleetWith([ccm("gitops")]);

const signal = new AbortController().signal;
const release = { name: "podinfo", namespace: "web" };
const deployment = { apiVersion: "apps/v1", kind: "Deployment", ...release };
const cloud = { name: "proxmox-cloud-controller-manager", namespace: "kube-system" };
let site: AddonSite;

beforeAll(async () => {
  site = await addonSite(ours, { later: [fleetWith([podinfo("6.10.0", "slipway")])] });
});

afterAll(() => site?.[Symbol.asyncDispose]());

const up = async (...args: Parameters<AddonSite["up"]>) => {
  const { runReport, events } = await site.up(...args);
  expect(errorsIn(events)).toEqual([]);
  return runReport.outcome;
};

const versionsOf = async (...refs: Parameters<AddonSite["kube"]["get"]>[0][]) =>
  Promise.all(refs.map(async (ref) => (await site.kube.get(ref))?.metadata.resourceVersion));

const accountInCluster = async () =>
  (await site.kube.get<KubeSecret>({ apiVersion: "v1", kind: "Secret", ...cloud }))?.data?.["config.yaml"];

const cloudPods = async () => {
  const { items } = await site.kube.list({ apiVersion: "v1", kind: "Pod", namespace: cloud.namespace });
  return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith(cloud.name));
};

const rotate = () =>
  rotateAccount(
    { fleet: ours, cluster: "lab" },
    site.rehearsal.world(signal, () => {}),
  );

test("a new token of the Proxmox account reaches the cluster, and who reads it is restarted", async () => {
  const [before, pods] = [await accountInCluster(), await cloudPods()];
  await rotate();
  const changes = await site.changes(ours);
  expect(changes).toEqual([
    `update proxmox-ccm [Secret kube-system/${cloud.name}: data.config.yaml differs -> as in the file] [values of ${cloud.name}: podAnnotations.slipway.dev/account -> as in the file]`,
  ]);
  expect(await up(ours)).toBe("done");
  expect(await site.changes(ours)).toEqual([]);
  expect(await accountInCluster()).not.toBe(before);
  const now = await cloudPods();
  expect(now).toHaveLength(pods.length);
  expect(now.filter((name) => pods.includes(name))).toEqual([]);
});

test("a hand-over writes down the new owner and touches nothing else", async () => {
  const refs = [deployment, { apiVersion: "apps/v1", kind: "Deployment", ...cloud }];
  const before = await versionsOf(...refs);
  expect(await site.changes(theirs)).toEqual([
    "update proxmox-ccm [owner: slipway -> gitops]",
    "update podinfo [owner: slipway -> gitops]",
  ]);
  expect(await up(theirs)).toBe("done");
  expect(await versionsOf(...refs)).toEqual(before);
  expect(await site.helm.history(release, signal)).toHaveLength(1);
  expect(await site.changes(theirs)).toEqual([]);
});

test("pain-29-two-owners: what GitOps does to it then is neither compared nor reverted, whatever the file says (talos#5640, talos#11652)", async () => {
  const { kube, helm } = site;
  await kube.apply(
    { apiVersion: "apps/v1", kind: "Deployment", metadata: release, spec: { replicas: 5 } },
    { fieldManager: "kustomize-controller", isForced: true },
  );
  await helm.upgradeInstall(
    {
      ...{ ...release, timeoutMs: 60_000, values: { theirs: true }, isTakingOver: true },
      chart: { source: { oci: "oci://ghcr.io/example/charts/podinfo" }, version: "6.10.0" },
    },
    signal,
  );
  await kube.delete({ apiVersion: "apps/v1", kind: "Deployment", ...cloud });
  expect(await site.changes(later)).toEqual([]);
  expect(await up(later)).toBe("unchanged");
  expect(await helm.history(release, signal)).toHaveLength(2);
  expect(await kube.get({ apiVersion: "apps/v1", kind: "Deployment", ...cloud })).toBeUndefined();
});

test("the Secret with the account stays Slipway's, since nobody else knows what is in it", async () => {
  const before = await accountInCluster();
  await rotate();
  expect(await site.changes(later)).toEqual([
    `update proxmox-ccm [Secret kube-system/${cloud.name}: data.config.yaml differs -> as in the file]`,
  ]);
  expect(await up(later)).toBe("done");
  expect(await accountInCluster()).not.toBe(before);
  expect(await site.changes(later)).toEqual([]);
  expect(await site.kube.get({ apiVersion: "apps/v1", kind: "Deployment", ...cloud })).toBeUndefined();
});

test("taken out of the file it stays as it is", async () => {
  const before = await versionsOf(deployment);
  const plan = await site.plan(without);
  expect([changesIn(plan), plan.refused]).toEqual([[], []]);
  expect(await up(without)).toBe("unchanged");
  expect(await versionsOf(deployment)).toEqual(before);
  expect(await site.helm.history(release, signal)).toHaveLength(2);
});

test("given back it is compared in full and brought to the file", async () => {
  const changes = await site.changes(ours);
  expect(changes).toEqual([
    expect.stringMatching(
      /^update proxmox-ccm \[owner: gitops -> slipway\] .*\[Deployment kube-system\/proxmox-cloud-controller-manager: missing -> there\]/,
    ),
    expect.stringMatching(
      /^update podinfo \[owner: gitops -> slipway\] \[chart of podinfo: 6.10.0 -> 6.9.0\] \[values of podinfo: theirs -> as in the file\]/,
    ),
  ]);
  expect(await up(ours)).toBe("done");
  expect(await site.changes(ours)).toEqual([]);
});
