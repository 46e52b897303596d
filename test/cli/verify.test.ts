import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { connectKube, type KubeClient, type KubeNamespace } from "../../src/clients/kube/index.ts";
import { renderJunit } from "../../src/cli/views/index.ts";
import { readXml } from "../../src/lib/index.ts";
import { assemble } from "../../src/operations/planning/assemble.ts";
import { realisticLatencies, type ClusterFault } from "../../src/sim/index.ts";
import { isProxmoxHost } from "../../src/spec/index.ts";
import type { World } from "../../src/world/world.ts";
import { expectGolden } from "../support/golden.ts";
import { eventually } from "../support/kube/objects.ts";
import { fleetOf, type RehearsalSite, runningSite } from "../support/sim/rehearsal-site.ts";
import { verifySite, type VerifyTry } from "../support/screens/verify-lab.ts";
import { realClock } from "../../src/lib/index.ts";
import { whole } from "../support/whole-sweep.ts";

/** The checklist on one cluster, well and ill, each as the screen a person sees. */
const fleet = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.15.0.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    network: { cidr: 10.15.0.0/24, gateway: .254, dns: [10.15.0.2], vip: .100 }
    controlPlanes: { count: 3, memory: 4GiB, address: .10, vmid: 2000 }
    workers: { count: 2, memory: 4GiB, address: .20, vmid: 3000 }
    addons:
      - nfs-csi: { server: 10.15.0.5, share: /volume1/k8s }
      - metrics-server
`);

const never = new AbortController().signal;
let site: RehearsalSite;
let kube: KubeClient;

beforeAll(async () => {
  site = await runningSite(fleet);
  // What is looked at takes its time; how the cluster came up is not.
  Object.assign(site.latencies, realisticLatencies);
  const world = site.rehearsal.world(never, () => {});
  const [cluster] = fleet.clusters;
  const kubeconfig = cluster && (await assemble(world, fleet).distribution.kubeconfig(cluster));
  kube = connectKube({ clock: realClock, kubeconfig: kubeconfig ?? "", dial: world.dial });
});
afterAll(async () => {
  kube.close();
  await site[Symbol.asyncDispose]();
});

const verify = (options?: VerifyTry) => verifySite(site, fleet, options);

/** What probes of ours are still in the cluster. */
const probesLeft = async (): Promise<string[]> => {
  const query = { apiVersion: "v1", kind: "Namespace", labels: "slipway.dev/verify" };
  return (await kube.list<KubeNamespace>(query)).items.map(({ metadata }) => metadata.name);
};

const nothingLeft = () =>
  eventually(async () => {
    expect(await probesLeft()).toEqual([]);
    expect((await kube.list({ apiVersion: "v1", kind: "PersistentVolume" })).items).toEqual([]);
  });

/** Nobody reaches this address any more; whatever has it runs on. */
const cutOff =
  (address: string) =>
  (world: World): World => ({
    ...world,
    dialFor: (cluster) => (to, signal) =>
      to.host === address
        ? Promise.reject(Object.assign(new Error("connect EHOSTUNREACH"), { code: "EHOSTUNREACH" }))
        : world.dialFor(cluster)(to, signal),
  });

test("a healthy cluster passes every check, and nothing stays in it", async () => {
  const { runReport, text } = await verify();
  expect(runReport).toMatchObject({
    outcome: "done",
    exitCode: 0,
    counts: { done: 16, failed: 0, total: 16 },
  });
  expectGolden(text, import.meta.dirname, "testdata/verify/healthy.txt");
  await nothingLeft();
});

/** With how long pods are waited for, where they never come. */
type Faulty = [string, ClusterFault[], waitMs?: number];
const faults: Faulty[] = [
  ["cni", [{ kind: "cni-not-ready", node: "worker-1" }]],
  ["dns", [{ kind: "dns-broken" }]],
  ["lonely", [{ kind: "pod-network-broken", node: "cp-3" }]],
  ["claim", [{ kind: "provisioner-failing" }], 8_000],
  ["etcd-alarm", [{ kind: "etcd-alarm" }]],
  ["addon", [{ kind: "never-ready", workload: "metrics-server*" }]],
];
const furtherFaults: Faulty[] = [
  ["dns-on-one-node", [{ kind: "dns-broken", node: "worker-2" }]],
  ["pair", [{ kind: "pod-network-broken", node: "cp-2", peer: "cp-3" }]],
  ["node", [{ kind: "node-not-ready", node: "cp-3" }]],
  ["image", [{ kind: "image-pull", image: "*busybox*", node: "cp-2" }], 15_000],
];

async function tellFault(...[name, standing, waitMs]: Faulty): Promise<void> {
  const { cluster } = site.rehearsal.datacenter.faults;
  cluster.add(...standing);
  onTestFinished(() => cluster.clear());
  const { runReport, text } = await verify({ ...(waitMs !== undefined && { waitMs }) });
  expect(runReport).toMatchObject({ outcome: "failed", exitCode: 1 });
  expectGolden(text, import.meta.dirname, "testdata/verify", `${name}.txt`);
  cluster.clear();
  await nothingLeft();
}

test.each(faults)("what is wrong is told once, with what to do: %s", tellFault);
test.each(furtherFaults)("what is wrong is told once, with what to do: %s", whole, tellFault);

test("a silent node is the one cause of all that fails", async () => {
  const { runReport, text } = await verify({ alter: cutOff("10.15.0.12") });
  expect(runReport.exitCode).toBe(1);
  expectGolden(text, import.meta.dirname, "testdata/verify/silent.txt");
});

test("--quick only looks", async () => {
  const { faults: box } = site.rehearsal.datacenter;
  const before = box.seen.length;
  const { runReport, events } = await verify({ isQuick: true });
  expect(runReport.exitCode).toBe(0);
  const ids = events.flatMap((event) => (event.type === "check" ? [event.id] : []));
  expect(ids).not.toContain("pods-reach");
  const changing = box.seen.slice(before).filter((call) => /^kube (POST|PUT|DELETE)/.test(call));
  expect(changing).toEqual([]);
});

test("a run that is stopped while its pods try something removes them", async () => {
  const stop = new AbortController();
  const { runReport, text } = await verify({
    stop: stop.signal,
    onEvent: (event) => {
      if (event.type !== "check" || event.id !== "nodes-ready") return;
      void eventually(async () => expect(await probesLeft()).toHaveLength(1)).finally(() => stop.abort());
    },
    // Long enough to be stopped in: the listeners never come up.
    alter: (world) => {
      site.rehearsal.datacenter.faults.cluster.add({ kind: "image-pull", image: "*busybox*" });
      return world;
    },
    waitMs: 600_000,
  });
  site.rehearsal.datacenter.faults.cluster.clear();
  expect(runReport).toMatchObject({ outcome: "stopped", exitCode: 130 });
  expect(text).toContain("- stopped after");
  await nothingLeft();
});

test("what a killed run has left goes with the next run, once nobody can be using it", async () => {
  const left = (name: string, untilMs: number) =>
    kube.create({
      ...{ apiVersion: "v1", kind: "Namespace" },
      metadata: {
        name,
        labels: { "app.kubernetes.io/managed-by": "slipway", "slipway.dev/verify": "probe" },
        annotations: { "slipway.dev/until": new Date(untilMs).toISOString() },
      },
    });
  await left("slipway-verify-old", Date.now() - 1_000);
  await left("slipway-verify-other", Date.now() + 60_000);
  expect((await verify()).runReport.exitCode).toBe(0);
  await eventually(async () => expect(await probesLeft()).toEqual(["slipway-verify-other"]));
  await kube.delete({ apiVersion: "v1", kind: "Namespace", name: "slipway-verify-other" });
});

test("the results as JUnit are XML that counts and explains them", async () => {
  const { cluster } = site.rehearsal.datacenter.faults;
  cluster.add({ kind: "etcd-alarm" });
  onTestFinished(() => cluster.clear());
  const { events } = await verify();
  const junit = renderJunit(events.filter((event) => event.type === "check"));
  const root = readXml(junit.replace(/^<\?xml.*\?>\n/, ""));
  const [suite] = root.children;
  expect([root.name, suite?.attributes]).toEqual([
    "testsuites",
    expect.objectContaining({ name: "lab", tests: "16", failures: "1", skipped: "4" }),
  ]);
  const failed = suite?.children.find((each) => each.children.some(({ name }) => name === "failure"));
  expect(failed?.attributes).toMatchObject({ classname: "lab.etcd-healthy", name: "etcd healthy" });
  expect(failed?.children[0]?.attributes).toEqual({ message: "alarm: no-space", type: "VERIFY_ETCD_ALARM" });
});

test("a machine that was stopped is the one cause, told where machines are looked at", async () => {
  const [host] = fleet.hosts.filter(isProxmoxHost);
  if (!host) throw new Error("the fleet has no host");
  const client = await site.rehearsal.world(never, () => {}).openProxmox(host);
  await (await client.stopMachine({ node: host.proxmox.node, vmid: 2002 }, never)).wait(never);
  const { runReport, text } = await verify();
  expect(runReport.exitCode).toBe(1);
  expectGolden(text, import.meta.dirname, "testdata/verify/stopped.txt");
});
