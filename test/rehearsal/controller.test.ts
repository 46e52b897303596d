import { afterAll, beforeAll, expect, test } from "vitest";
import { conditionOf, readKubeconfig, type KubeSecret } from "../../src/clients/kube/index.ts";
import {
  approvedPlan,
  apiVersion,
  type SlipwayCluster,
  type SlipwayRun,
} from "../../src/controller/index.ts";
import {
  clusterObject,
  fleetSite,
  hostsObject,
  namespace,
  type FleetSite,
  type StartedController,
} from "../support/controller/fleet-site.ts";

const net = "127.46.1";
let site: FleetSite;
let controller: StartedController;

beforeAll(async () => {
  site = await fleetSite({ net, withSecrets: ["lab"] });
  controller = await site.start("one");
  await site.kube.apply(hostsObject(net));
  await site.kube.apply(clusterObject("lab", net));
});

afterAll(() => site.close());

const status = (cluster: SlipwayCluster, type: string): string | undefined =>
  conditionOf(cluster, type)?.status;
const reason = (cluster: SlipwayCluster, type = "Ready"): string | undefined =>
  conditionOf(cluster, type)?.reason;
const isReady = (cluster: SlipwayCluster): boolean =>
  status(cluster, "Ready") === "True" && cluster.status?.observedGeneration === cluster.metadata.generation;
const memoryOf = (vmid: number): unknown => site.datacenter.proxmox.state().vms[vmid]?.config["memory"];
const runs = async (): Promise<SlipwayRun[]> =>
  (await site.kube.list<SlipwayRun>({ apiVersion, kind: "SlipwayRun", namespace })).items;
const get = (kind: string, name: string) =>
  site.kube.get<KubeSecret>({ apiVersion: "v1", kind, name, namespace });
const change = (more: Parameters<typeof clusterObject>[2]) =>
  site.kube.apply(clusterObject("lab", net, more), { isForced: true });
const workers = (memory: string) => ({
  workers: { count: 1, cores: 2, memory, disk: "20GiB", address: ".15", vmid: 3010 },
});
const approve = (digest: string) =>
  site.kube.patch(
    { apiVersion, kind: "SlipwayCluster", name: "lab", namespace },
    { metadata: { annotations: { [approvedPlan]: digest } } },
  );

test("a cluster is made as its object says, and what happened is told", async () => {
  const lab = await site.untilCluster("lab", isReady);
  expect(lab.status).toMatchObject({
    ...{
      phase: "Ready",
      nodes: { wanted: 2, ready: 2 },
      kubeconfig: "lab-kubeconfig",
      distribution: "talos",
    },
    ...{ provider: "proxmox", kubernetesVersion: "1.36.3", osVersion: "Talos (v1.13.9)" },
    plan: { changes: 0, summary: "no changes" },
    lastRun: { command: "up", outcome: "done" },
  });
  expect(lab.status?.conditions.map(({ type, status: is }) => `${type} ${is}`)).toEqual([
    ...[
      "Ready True",
      "Available True",
      "RollingOut False",
      "Drifted False",
      "Paused False",
      "Deleting False",
    ],
    "Planned True",
  ]);
  for (const condition of lab.status?.conditions ?? [])
    expect(condition.observedGeneration).toBe(lab.metadata.generation);
  const [run] = await runs();
  expect(run?.spec).toMatchObject({ cluster: "lab", command: "up", policy: "Auto" });
  expect(run?.status).toMatchObject({ outcome: "done", steps: { failed: 0 } });
  expect(run?.status?.steps.finished).toBeGreaterThan(5);
});

test("other tools find its kubeconfig, and its secrets are in a Secret", async () => {
  const published = await get("Secret", "lab-kubeconfig");
  expect(published).toMatchObject({
    type: "cluster.x-k8s.io/secret",
    metadata: { labels: { "cluster.x-k8s.io/cluster-name": "lab" } },
  });
  const text = Buffer.from(published?.data?.["value"] ?? "", "base64").toString("utf8");
  expect(readKubeconfig(text).server).toBe(`https://${net}.10:6443`);
  const kept = await get("Secret", "lab-secrets");
  expect(Object.keys(kept?.data ?? {}).toSorted()).toEqual(["kubeconfig", "secrets.yaml", "talosconfig"]);
});

test("a cluster that is as asked for is left alone", async () => {
  const versions = async () => {
    const kinds = ["SlipwayCluster", "SlipwayHosts", "SlipwayRun"];
    const lists = await Promise.all(kinds.map((kind) => site.kube.list({ apiVersion, kind, namespace })));
    const secrets = await site.kube.list({ apiVersion: "v1", kind: "Secret", namespace });
    return [...lists, secrets].flatMap(({ items }) =>
      items.map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`),
    );
  };
  // The host tells of the new machines first.
  await site.time.clock.sleep(60_000);
  const before = await versions();
  await site.time.clock.sleep(45 * 60_000);
  expect(await versions()).toEqual(before);
});

test("a change waits for the approval of just this plan", async () => {
  await change({ spec: { apply: "OnApproval" }, cluster: workers("3GiB") });
  const waiting = await site.untilCluster("lab", (each) => reason(each) === "AwaitingApproval");
  expect(waiting.status).toMatchObject({ phase: "AwaitingApproval", plan: { changes: 1 } });
  expect(waiting.status?.plan?.steps[0]?.title).toContain("worker-1");
  expect(memoryOf(3010)).toBe("2048");

  await approve("0".repeat(64));
  await site.time.clock.sleep(60_000);
  expect(memoryOf(3010)).toBe("2048");

  const digest = waiting.status?.plan?.digest ?? "";
  expect(conditionOf(waiting, "Ready")?.message).toContain(digest);
  await approve(digest);
  await site.untilCluster("lab", isReady);
  expect(memoryOf(3010)).toBe("3072");
  // It was for that plan: the next one needs another.
  await change({ spec: { apply: "OnApproval" }, cluster: workers("4GiB") });
  await site.untilCluster(
    "lab",
    (each) => reason(each) === "AwaitingApproval" && each.status?.plan?.digest !== digest,
  );
  expect(memoryOf(3010)).toBe("3072");
});

test("nothing is written while it is paused, or never to be applied", async () => {
  await change({ spec: { apply: "Auto", paused: true }, cluster: workers("4GiB") });
  const paused = await site.untilCluster("lab", (each) => status(each, "Paused") === "True");
  expect([paused.status?.phase, reason(paused)]).toEqual(["Paused", "Paused"]);
  await change({ spec: { apply: "Never" }, cluster: workers("4GiB") });
  await site.untilCluster("lab", (each) => reason(each) === "ApplyNever");
  await site.time.clock.sleep(15 * 60_000);
  expect(memoryOf(3010)).toBe("3072");
  await change({ cluster: workers("4GiB") });
  await site.untilCluster("lab", isReady);
  expect(memoryOf(3010)).toBe("4096");
});

test("a machine that somebody stopped is found at the next look at its host, and started", async () => {
  await change({ spec: { apply: "Never" }, cluster: workers("4GiB") });
  await site.untilCluster("lab", isReady);
  await site.datacenter.proxmox.cutPower(3010);
  const before = site.time.clock.now();
  const drifted = await site.untilCluster("lab", (each) => status(each, "Drifted") === "True");
  expect(site.time.clock.now() - before).toBeLessThan(60_000);
  expect(drifted.status?.plan?.changes).toBeGreaterThan(0);
  await change({ cluster: workers("4GiB") });
  await site.untilCluster("lab", isReady);
});

test("what is wrong with an object is told with its path, and troubles no other", async () => {
  await site.kube.apply(
    clusterObject("twin", net, { cluster: { controlPlanes: { count: 1, address: ".10" } } }),
  );
  const twin = await site.untilCluster("twin", (each) => reason(each) === "Invalid");
  expect(conditionOf(twin, "Ready")?.message).toContain("spec.cluster.controlPlanes");
  await site.kube.apply(
    clusterObject("sly", net, {
      first: 60,
      cluster: {
        secrets: { encryption: "age", passphrase: { secret: { name: "pve", key: "x" } } },
        patches: [{ file: "/etc/passwd" }],
      },
    }),
  );
  const sly = await site.untilCluster("sly", (each) => reason(each) === "Invalid");
  expect(conditionOf(sly, "Ready")?.message).toContain("spec.cluster.patches[0]");
  expect(isReady((await site.cluster("lab")) as SlipwayCluster)).toBe(true);
  // Nothing was ever made for them, so nothing is in the way of their end.
  for (const name of ["twin", "sly"]) {
    await site.kube.delete({ apiVersion, kind: "SlipwayCluster", name, namespace });
    await site.time.until(async () => (await site.cluster(name)) === undefined);
  }
  expect(controller.logs.filter((line) => line.startsWith("error"))).toEqual([]);
});

test("a host that does not answer makes it unknown, not false", async () => {
  await site.datacenter.proxmox.setNode("hydra", "off");
  const lab = await site.untilCluster("lab", (each) => status(each, "Ready") === "Unknown");
  expect([lab.status?.phase, reason(lab)]).toEqual(["Unreachable", "Unreachable"]);
  await site.datacenter.proxmox.setNode("hydra", "on");
  await site.untilCluster("lab", isReady);
});

test("a protected cluster stays, and so does its object", async () => {
  await change({ cluster: { ...workers("4GiB"), protect: true } });
  await site.untilCluster("lab", isReady);
  await site.kube.delete({ apiVersion, kind: "SlipwayCluster", name: "lab", namespace });
  const lab = await site.untilCluster("lab", (each) => reason(each) === "DeletionStuck");
  expect(conditionOf(lab, "Ready")?.message).toContain("protect");
  expect(memoryOf(3010)).toBe("4096");
  await change({ cluster: { ...workers("4GiB"), protect: false } });
  await site.time.until(async () => (await site.cluster("lab")) === undefined);
  expect(Object.keys(site.datacenter.proxmox.state().vms)).toEqual([]);
  // Data disks stayed, had there been any, and so do the secrets.
  expect(await get("Secret", "lab-secrets")).toBeDefined();
  expect(await get("Secret", "lab-kubeconfig")).toBeUndefined();
});

test("an object with the policy Orphan goes, and its cluster stays", async () => {
  await site.kube.apply(clusterObject("lab", net, { spec: { deletion: "Orphan" } }));
  await site.untilCluster("lab", isReady);
  await site.kube.delete({ apiVersion, kind: "SlipwayCluster", name: "lab", namespace });
  await site.time.until(async () => (await site.cluster("lab")) === undefined);
  expect(Object.keys(site.datacenter.proxmox.state().vms)).toEqual(["2010", "3010"]);
  // The next object of that name finds it, and has nothing to do.
  await site.kube.apply(clusterObject("lab", net, { spec: { deletion: "Delete", apply: "Never" } }));
  await site.untilCluster("lab", isReady);
  await site.kube.delete({ apiVersion, kind: "SlipwayCluster", name: "lab", namespace });
  await site.time.until(async () => (await site.cluster("lab")) === undefined);
  expect(Object.keys(site.datacenter.proxmox.state().vms)).toEqual([]);
  expect(await get("Secret", "lab-secrets")).toBeUndefined();
});
