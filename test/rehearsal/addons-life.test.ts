import { afterAll, beforeAll, expect, test } from "vitest";
import { fleetStatus } from "../../src/operations/index.ts";
import type { Fleet } from "../../src/spec/index.ts";
import { addonSite, changesIn, fleetWith, type AddonSite } from "../support/addons/site.ts";
import { errorsIn } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

/** Add-ons after their installation: changed in the file, changed by hand, taken away. One cluster, in the order of its life. */

const podinfo = (version: string, values: string, more = "") =>
  `chart: { name: podinfo, namespace: web, chart: { oci: "oci://ghcr.io/example/charts/podinfo" }, version: ${version}, values: ${values}${more} }`;
const nfs = (share: string, mount = "hard") =>
  `nfs-csi: { server: 10.14.0.5, share: ${share}, storageClass: { mountOptions: [nfsvers=4.1, ${mount}] } }`;
const csi = (...classes: string[]) =>
  `proxmox-csi: { storageClasses: [${classes.map((name) => `{ name: ${name}, storage: local-lvm, default: ${name === "fast"} }`).join(", ")}] }`;

const first = fleetWith([
  "longhorn",
  "cert-manager",
  nfs("/volume1/k8s"),
  csi("fast", "slow"),
  podinfo("6.9.0", '{ message: "a secret of the house", replicas: 1 }'),
]);
const second = fleetWith([
  "longhorn",
  "cert-manager",
  nfs("/volume2/k8s"),
  csi("fast"),
  podinfo("6.10.1", "{ ui: { color: red }, replicas: 1 }"),
]);
const third = fleetWith([csi("fast")]);

let site: AddonSite;

beforeAll(async () => {
  site = await addonSite(first, { later: [second] });
});

afterAll(() => site?.[Symbol.asyncDispose]());

const up = async (...args: Parameters<AddonSite["up"]>) => {
  const { runReport, events } = await site.up(...args);
  expect(errorsIn(events)).toEqual([]);
  expect(["done", "unchanged"]).toContain(runReport.outcome);
};

test("the file changes: the plan says which field, up makes it so, the next plan is clean", async () => {
  const changes = await site.changes(second);
  expect(changes).toEqual([
    "update nfs-csi [StorageClass nfs: parameters.share differs -> deleted and created again, as in the file]",
    "update proxmox-csi [StorageClass slow: there -> gone]",
    "update podinfo [version: 6.9.0 -> 6.10.1] [values of podinfo: message, ui -> as in the file]",
  ]);
  await up(second);
  expect(await site.changes(second)).toEqual([]);
  const storageClass = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass" };
  expect(await site.kube.get({ ...storageClass, name: "nfs" })).toMatchObject({
    parameters: { share: "/volume2/k8s" },
  });
  expect(await site.kube.get({ ...storageClass, name: "slow" })).toBeUndefined();
  const release = { name: "podinfo", namespace: "web" };
  expect(await site.helm.history(release, signal)).toMatchObject([
    { version: "6.9.0" },
    { version: "6.10.1" },
  ]);
});

const signal = new AbortController().signal;

const statusOf = async (fleet: Fleet) => {
  const world = site.rehearsal.world(signal, () => {});
  const [cluster] = await fleetStatus({ fleet, selection: {} }, world);
  return [cluster?.state, ...(cluster?.addons ?? []).map(({ addon, state }) => `${addon} ${state}`)];
};
const deployment = (namespace: string, name: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  namespace,
  name,
});

test("hands at work: what they deleted or changed is drift, and up mends it", async () => {
  const { kube, helm } = site;
  await kube.delete({ apiVersion: "storage.k8s.io/v1", kind: "StorageClass", name: "nfs" });
  await kube.delete(deployment("cert-manager", "cert-manager-webhook"));
  await kube.patch(deployment("longhorn-system", "longhorn-ui"), { spec: { replicas: 7 } });
  await helm.uninstall({ name: "podinfo", namespace: "web", timeoutMs: 60_000 }, signal);
  const changes = await site.changes(second);
  expect(changes).toEqual([
    expect.stringMatching(
      /^update longhorn \[Deployment longhorn-system\/longhorn-ui: spec.replicas differs -> as in the file\]/,
    ),
    expect.stringMatching(
      /^update cert-manager \[Deployment cert-manager\/cert-manager-webhook: missing -> there\] \[state: /,
    ),
    "update nfs-csi [StorageClass nfs: missing -> there]",
    "update podinfo [release podinfo: missing -> 6.10.1] [state: release podinfo is not there -> works]",
  ]);
  expect(await statusOf(second)).toEqual([
    "Degraded",
    ...["longhorn Ready", "cert-manager Not Ready", "nfs-csi Ready", "proxmox-csi Ready"],
    ...["podinfo Not Ready", "proxmox-ccm Ready"],
  ]);
  await up(second);
  expect(await site.changes(second)).toEqual([]);
});

test("a release that somebody upgraded by hand is brought back to the file", whole, async () => {
  await up(second); // where the tests before it were left out
  await site.helm.upgradeInstall(
    {
      ...{ name: "podinfo", namespace: "web", timeoutMs: 60_000, values: { replicas: 3 } },
      chart: { source: { oci: "oci://ghcr.io/example/charts/podinfo" }, version: "6.9.0" },
    },
    signal,
  );
  expect(await site.changes(second)).toEqual([
    "update podinfo [chart of podinfo: 6.9.0 -> 6.10.1] [values of podinfo: replicas, ui -> as in the file]",
  ]);
  await up(second);
  expect(await site.changes(second)).toEqual([]);
});

test("what left the file is removed with nothing left, and only with a word where data goes", async () => {
  const plan = await site.plan(third);
  expect(await statusOf(third)).toEqual(
    expect.arrayContaining(["Ready", "podinfo Leaving", "longhorn Leaving", "proxmox-csi Ready"]),
  );
  expect(changesIn(plan).toSorted()).toEqual(["remove cert-manager", "remove nfs-csi", "remove podinfo"]);
  expect(plan.changes.find(({ node }) => node.id === "lab/addon/nfs-csi")?.keeps).toContain(
    "data on the NFS server",
  );
  expect(plan.refused).toEqual([
    {
      step: "lab/addon/longhorn",
      consequence: "data",
      why: "every volume it holds, with all their data",
      next: "slipway up --accept-data-loss longhorn",
    },
  ]);
  await up(third, { acceptDataLoss: ["longhorn"] });
  expect(await site.changes(third)).toEqual([]);
  expect((await site.plan(third)).refused).toEqual([]);

  const { items: maps } = await site.kube.list({
    apiVersion: "v1",
    kind: "ConfigMap",
    labels: "slipway.dev/addon",
  });
  expect(maps.map(({ metadata }) => metadata.name).toSorted()).toEqual([
    "slipway-addon-proxmox-ccm",
    "slipway-addon-proxmox-csi",
  ]);
  const { items: secrets } = await site.kube.list({ apiVersion: "v1", kind: "Secret", labels: "owner=helm" });
  const releases = new Set(secrets.map(({ metadata }) => metadata.labels?.["name"] ?? ""));
  expect([...releases].toSorted()).toEqual(["proxmox-cloud-controller-manager", "proxmox-csi-plugin"]);
  const { items: namespaces } = await site.kube.list({ apiVersion: "v1", kind: "Namespace" });
  const names = namespaces.map(({ metadata }) => metadata.name);
  // One that the user's own chart lives in may hold more than the chart.
  expect(names).toContain("web");
  expect(names).not.toContain("longhorn-system");
  const { items: workloads } = await site.kube.list({ apiVersion: "apps/v1", kind: "Deployment" });
  expect(workloads.map(({ metadata }) => metadata.name).toSorted()).toEqual([
    "coredns",
    "proxmox-cloud-controller-manager",
    "proxmox-csi-plugin-controller",
  ]);
});
