import { stat, readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { showPlan } from "../../src/cli/output/show-plan.ts";
import type { KubeNode } from "../../src/clients/kube/index.ts";
import type { EventBody, Plan } from "../../src/plan/index.ts";
import type { Latencies } from "../../src/sim/index.ts";
import { troubleOf } from "../support/backups/some-backup.ts";
import { expectGolden } from "../support/golden.ts";
import { testScreen } from "../support/screens/canvas.ts";
import { openKube } from "../support/sim/open-kube.ts";
import {
  errorsIn,
  fleetOf,
  runningSite,
  type RehearsalSite,
  type RehearsalSiteOptions,
  type Told,
} from "../support/sim/rehearsal-site.ts";
import { versionsOverTime } from "../support/sim/versions-over-time.ts";
import { isFull, whole } from "../support/whole-sweep.ts";
import { watchCluster } from "../support/sim/watch-cluster.ts";

/** Another version in the file reaches the nodes one after the other, and the cluster does its work meanwhile. */

const vip = "10.8.0.9";
const nodesOf = (name: string, addresses: number[]) =>
  addresses.map((last, index) => ({ name: `${name}-${index + 1}`, host: `10.8.0.${last}` }));
const controlPlanes = nodesOf("cp", [10, 11, 12]);
const workers = nodesOf("worker", [20, 21]);
const cpNames = controlPlanes.map(({ name }) => name);
const allNames = [...controlPlanes, ...workers].map(({ name }) => name);
const testdata = path.join(import.meta.dirname, "testdata/upgrade");

interface Asked {
  talos?: string;
  kubernetes?: string;
  controlPlanes?: number;
  workers?: number;
  extra?: string;
}

const fleet = (asked: Asked = {}) => {
  const { talos = "1.12.11", kubernetes = "1.35.4", extra = "" } = asked;
  return fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    talos: { version: ${talos}${extra} }
    kubernetes: ${kubernetes}
    network: { cidr: 10.8.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: ${asked.controlPlanes ?? 3}, cores: 1, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: ${asked.workers ?? 2}, cores: 1, memory: 2GiB, address: .20, vmid: 3000 }
`);
};

/** As measured on real nodes, the way down a little shorter. */
const latencies: Partial<Latencies> = {
  installMs: 12_000,
  rebootMs: 8_000,
  bootMs: 8_000,
  leaveMs: 10_000,
  etcdJoinMs: 4_000,
  apiServerMs: 8_000,
  registerMs: 2_000,
  readyMs: 3_000,
  staticPodMs: 2_000,
  staticPodRestartMs: 10_000,
};

const screenOf = (plan: Plan): string =>
  showPlan({ command: "plan", file: "lab.yaml", clusters: ["lab"], plan, readAgoMs: 100 }, testScreen());

/** What is true of the cluster now, without asking it. */
function look(site: RehearsalSite) {
  const [lab] = Object.values(site.rehearsal.datacenter.talos.state());
  const nodes = (lab?.kube?.objects ?? []).filter(({ kind }) => kind === "Node") as unknown as KubeNode[];
  const cordoned = nodes.filter(({ spec }) => spec?.unschedulable === true);
  return {
    cordoned: cordoned.map(({ metadata }) => metadata.name),
    voters: (lab?.members ?? []).filter(({ isLearner }) => !isLearner).length,
    systems: Object.fromEntries(
      nodes.map(({ metadata, status }) => [
        metadata.name,
        `${status?.nodeInfo?.osImage} ${status?.nodeInfo?.kubeletVersion}`,
      ]),
    ),
  };
}

/** Every simulated second, until it is told to end. */
function watchInvariants(site: RehearsalSite, handCordoned: string[]) {
  const broken = new Set<string>();
  const cordoned = new Set<string>();
  let looks = 0;
  const end = new AbortController();
  const life = (async () => {
    while (!end.signal.aborted) {
      const seen = look(site);
      looks += 1;
      const ours = seen.cordoned.filter((name) => !handCordoned.includes(name));
      for (const name of ours) cordoned.add(name);
      if (ours.length > 1) broken.add(`cordoned at once: ${ours.join()}`);
      if (seen.voters !== 3) broken.add(`${seen.voters} voters`);
      await site.rehearsal.time.clock.sleep(1_000, end.signal).catch(() => undefined);
    }
  })();
  return {
    broken,
    cordoned,
    looks: () => looks,
    async stop() {
      end.abort(new Error("seen enough"));
      await life;
    },
  };
}

async function upgradeUnderWatch(site: RehearsalSite, to: ReturnType<typeof fleet>, handCordoned: string[]) {
  const reach = await watchCluster(site, { vip, controlPlanes, workers, vipEveryMs: 1_000 });
  const invariants = watchInvariants(site, handCordoned);
  const told: Told = await site.up(to);
  await site.pass(30_000);
  await Promise.all([reach.stop(), invariants.stop()]);
  expect(told.runReport.outcome, errorsIn(told.events).join("; ")).toBe("done");
  expect([...invariants.broken]).toEqual([]);
  expect(invariants.looks()).toBeGreaterThan(60);
  expect(look(site).cordoned).toEqual(handCordoned);
  expect(reach.mostAwayOf(cpNames)).toBeLessThanOrEqual(1);
  // What a move of the shared address from node to node may cost.
  expect(reach.longestAwayMs("VIP")).toBeLessThanOrEqual(1_000);
  return { ...told, reach, invariants };
}

const systemSteps = (events: EventBody[], type: "finished" | "failed" | "skipped"): string[] =>
  events.flatMap((event) =>
    event.type === type && event.step.startsWith("lab/system/") ? [event.step.slice(11)] : [],
  );

describe.each([
  { from: "1.12.11", to: "1.13.9", by: "the older call", service: "MachineService" },
  { from: "1.13.9", to: "1.14.1", by: "the newer services", service: "LifecycleService" },
])("Talos on three control planes and two workers, with $by", ({ from, to: talos, service }) => {
  let site: RehearsalSite;
  beforeAll(async () => {
    site = await runningSite(fleet({ talos: from }), { latencies });
    // Somebody keeps a node empty for reasons of their own.
    const kube = await openKube(site);
    await kube.patch({ apiVersion: "v1", kind: "Node", name: "worker-2" }, { spec: { unschedulable: true } });
    kube.close();
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  test("a new minor goes to one node at a time", whole, async () => {
    const to = fleet({ talos });
    expectGolden(screenOf(await site.plan(to)), testdata, `talos-${talos}-plan.txt`);
    const { faults } = site.rehearsal.datacenter;
    const seen = faults.seen.length;
    const { events, reach, invariants } = await upgradeUnderWatch(site, to, ["worker-2"]);
    expect(systemSteps(events, "finished")).toEqual(allNames);
    expect([...invariants.cordoned].toSorted()).toEqual([...cpNames, "worker-1"]);
    expect(reach.everAway()).toEqual(expect.arrayContaining(allNames));
    expect(Object.values(look(site).systems)).toEqual(allNames.map(() => `Talos (v${talos}) v1.35.4`));
    const calls = faults.seen.slice(seen).filter((call) => /Upgrade|Pull$|EtcdSnapshot/.test(call));
    // Images and the snapshot come before the first node is touched.
    expect(calls.slice(0, 6).filter((call) => call.includes("Upgrade"))).toEqual([]);
    expect(calls.filter((call) => call.endsWith("/Upgrade"))).toEqual(
      allNames.map(() => `talos machine.${service}/Upgrade`),
    );
    const file = path.join(site.folder, `lab/etcd-before-talos-${talos}.db`);
    expect(troubleOf(await readFile(file))).toBeUndefined();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await site.up(to)).runReport.outcome).toBe("unchanged");
  });
});

const small = (asked: Asked = {}) => fleet({ controlPlanes: 1, workers: 2, ...asked });
const smallSite = (options: RehearsalSiteOptions = {}) => runningSite(small(), options);
const smallNames = ["cp-1", "worker-1", "worker-2"];

test.skipIf(!isFull)("another schematic is a roll-out too, in the same version", whole, async () => {
  await using site = await smallSite();
  const to = small({ extra: ", extensions: [qemu-guest-agent]" });
  const systems = (await site.plan(to)).changes.filter(({ node }) => node.kind === "talos/system");
  expect(systems.map(({ consequence, fields }) => `${consequence} ${fields[0]?.field}`)).toEqual(
    smallNames.map(() => "roll schematic"),
  );
  const { runReport, events } = await site.up(to);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(systemSteps(events, "finished")).toEqual(smallNames);
  expect((await site.up(to)).runReport.outcome).toBe("unchanged");
});

test(
  "a node that falls back to its old version is told, takes pods again, and no other is touched",
  whole,
  async () => {
    await using site = await smallSite({ faults: [{ call: "talos boot 1.13.9", kind: "die", after: 1 }] });
    const to = small({ talos: "1.13.9" });
    const { runReport, events } = await site.up(to);
    expect(runReport.outcome).toBe("failed");
    expect(systemSteps(events, "finished")).toEqual(["cp-1"]);
    expect(systemSteps(events, "failed")).toEqual(["worker-1"]);
    expect(systemSteps(events, "skipped")).toEqual(["worker-2"]);
    const failed = events.find((event) => event.type === "failed");
    expect(failed?.type === "failed" && failed.error).toMatchObject({
      code: "TALOS_FELL_BACK",
      why: expect.stringMatching(/runs Talos 1\.12\.11 .* again: Talos 1\.13\.9 .* did not start/) as string,
    });
    expect(look(site).cordoned).toEqual([]);
    expect(look(site).systems["worker-1"]).toContain("1.12.11");
    const again = await site.up(to);
    expect(again.runReport.outcome, errorsIn(again.events).join("; ")).toBe("done");
    expect(systemSteps(again.events, "finished")).toEqual(["worker-1", "worker-2"]);
  },
);

test(
  "a budget that lets no pod go stops the roll-out, names both, and leaves the node as it was",
  whole,
  async () => {
    await using site = await smallSite();
    const kube = await openKube(site);
    const labels = { app: "web" };
    await kube.create({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "default" },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: "web", image: "nginx:1.29" }] },
        },
      },
    });
    await kube.create({
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "web-stays", namespace: "default" },
      spec: { minAvailable: 2, selector: { matchLabels: labels } },
    });
    const alone = { apiVersion: "v1", kind: "Pod", metadata: { name: "debug", namespace: "default" } };
    const spec = { nodeName: "worker-1", containers: [{ name: "debug", image: "busybox:1.37" }] };
    await kube.create({ ...alone, spec });
    const attached = { apiVersion: "storage.k8s.io/v1", kind: "VolumeAttachment" };
    await kube.create({
      ...attached,
      metadata: { name: "csi-1" },
      spec: {
        attacher: "driver.longhorn.io",
        nodeName: "worker-1",
        source: { persistentVolumeName: "pvc-1" },
      },
    });
    await site.pass(30_000);
    const to = small({ talos: "1.13.9" });
    const pod = /web-[0-9a-f]{10}-[0-9a-z]{5}/g;
    expectGolden(
      screenOf(await site.plan(to)).replaceAll(pod, "web-0123456789-abcde"),
      testdata,
      "closed-budget-plan.txt",
    );
    const { runReport, events } = await site.up(to);
    expect(runReport.outcome).toBe("failed");
    expect(systemSteps(events, "finished")).toEqual(["cp-1"]);
    const failed = events.find((event) => event.type === "failed");
    expect(failed?.type === "failed" && failed.error).toMatchObject({
      code: "TALOS_DRAIN_BLOCKED",
      why: expect.stringMatching(/default\/web-.*disruption budget web-stays needs 2 healthy pods/) as string,
    });
    expect(systemSteps(events, "skipped")).toHaveLength(1);
    expect(look(site).cordoned).toEqual([]);
    await kube.delete({
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      namespace: "default",
      name: "web-stays",
    });
    const detached = site.pass(40_000).then(() => kube.delete({ ...attached, name: "csi-1" }));
    const [again] = await Promise.all([site.up(to), detached]);
    kube.close();
    expect(again.runReport.outcome, errorsIn(again.events).join("; ")).toBe("done");
    // A pod is gone before its volume is.
    const held = again.events.flatMap((event) =>
      event.type === "waiting" && /volumes of worker-1/.test(event.what) ? [event.lastSeen] : [],
    );
    expect(held[0]).toBe("still attached: csi-1");
  },
);

describe("Kubernetes on three control planes and two workers", () => {
  let site: RehearsalSite;
  const from = { talos: "1.13.9", kubernetes: "1.35.4" };
  beforeAll(async () => {
    site = await runningSite(fleet(from), { latencies });
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  test("a new minor goes from part to part, API servers first, kubelets last", whole, async () => {
    const to = fleet({ ...from, kubernetes: "1.36.3" });
    const plan = await site.plan(to);
    expectGolden(screenOf(plan), testdata, "kubernetes-plan.txt");
    const seen = versionsOverTime(site);
    const { events, invariants } = await upgradeUnderWatch(site, to, []);
    await seen.stop();
    expect([...invariants.cordoned]).toEqual([]);
    expect(systemSteps(events, "finished")).toEqual([]);
    expect(Object.values(look(site).systems)).toEqual(allNames.map(() => "Talos (v1.13.9) v1.36.3"));
    expect(seen.order).toEqual([
      ...["kube-apiserver", "kube-controller-manager", "kube-scheduler"].flatMap((part) =>
        cpNames.map((name) => `${part}-${name}`),
      ),
      ...allNames.map((name) => `kubelet ${name}`),
      "kube-proxy",
    ]);
    const file = path.join(site.folder, "lab/etcd-before-kubernetes-1.36.3.db");
    expect(troubleOf(await readFile(file))).toBeUndefined();
    expect((await site.up(to)).runReport.outcome).toBe("unchanged");
  });
});
