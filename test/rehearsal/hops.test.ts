import { stat } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { showPlan } from "../../src/cli/output/show-plan.ts";
import type { KubeNode, KubeObject, Manifest } from "../../src/clients/kube/index.ts";
import { rollBackNode } from "../../src/operations/index.ts";
import type { EventBody, Plan } from "../../src/plan/index.ts";
import type { Latencies } from "../../src/sim/index.ts";
import { definitionOf } from "../../src/sim/kube/index.ts";
import { kubeOf } from "../support/addons/site.ts";
import { expectGolden } from "../support/golden.ts";
import { testScreen } from "../support/screens/canvas.ts";
import {
  errorsIn,
  fleetOf,
  runningSite,
  type RehearsalSite,
  type Told,
} from "../support/sim/rehearsal-site.ts";
import { watchCluster } from "../support/sim/watch-cluster.ts";
import { isFull, whole } from "../support/whole-sweep.ts";

/** Versions that are further away than one minor are reached over all that are between, in one run. */

const testdata = path.join(import.meta.dirname, "testdata/upgrade");
const latencies: Partial<Latencies> = { rebootMs: 8_000, bootMs: 8_000, leaveMs: 4_000, readyMs: 3_000 };
const never = new AbortController().signal;

interface Asked {
  talos: string;
  kubernetes: string;
  controlPlanes?: number;
  workers?: number;
  more?: string;
}

const fleet = ({ talos, kubernetes, controlPlanes = 1, workers = 1, more = "" }: Asked) =>
  fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    talos: { version: ${talos}, extensions: [iscsi-tools, util-linux-tools] }
    kubernetes: ${kubernetes}
    network: { cidr: 10.8.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: ${controlPlanes}, cores: 1, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: ${workers}, cores: 1, memory: 4GiB, address: .20, vmid: 3000, dataDisks: [{ size: 20GiB, for: longhorn }] }
${more}`);

const screenOf = (plan: Plan): string =>
  showPlan({ command: "plan", file: "lab.yaml", clusters: ["lab"], plan, readAgoMs: 100 }, testScreen());

function systemsOf(site: RehearsalSite): string[] {
  const [lab] = Object.values(site.rehearsal.datacenter.talos.state());
  const objects = lab?.kube?.objects ?? [];
  const nodes = objects.filter(
    ({ apiVersion, kind }) => `${apiVersion} ${kind}` === "v1 Node",
  ) as unknown as KubeNode[];
  return nodes.map(
    ({ metadata, status }) =>
      `${metadata.name} ${status?.nodeInfo?.osImage} ${status?.nodeInfo?.kubeletVersion}`,
  );
}

const finished = ({ events }: Told, about: RegExp): string[] =>
  events.flatMap((event) => (event.type === "finished" && about.test(event.step) ? [event.step] : []));

test(
  "two minors of Talos and of Kubernetes are four hops, each through all nodes; a run that failed between them goes on",
  whole,
  async () => {
    const before = { talos: "1.11.6", kubernetes: "1.34.1" };
    await using site = await runningSite(fleet(before), {
      latencies,
      faults: [{ call: "talos boot 1.13.9", kind: "die", after: 1 }],
    });
    const to = fleet({ talos: "1.13.9", kubernetes: "1.36.3" });
    expectGolden(screenOf(await site.plan(to)), testdata, "hops-plan.txt");
    const cut = await site.up(to);
    expect(cut.runReport.outcome).toBe("failed");
    expect(errorsIn(cut.events).join()).toContain("TALOS_FELL_BACK");
    expect(finished(cut, /system|kubernetes/)).toEqual([
      "lab/system-1.12.11/cp-1",
      "lab/system-1.12.11/worker-1",
      "lab/system/cp-1",
    ]);
    const again = await site.up(to);
    expect(again.runReport.outcome, errorsIn(again.events).join("; ")).toBe("done");
    expect(finished(again, /system|kubernetes/)).toEqual([
      "lab/system/worker-1",
      "lab/cluster/kubernetes-1.35.4",
      "lab/cluster/kubernetes",
    ]);
    expect(systemsOf(site)).toEqual(["cp-1 Talos (v1.13.9) v1.36.3", "worker-1 Talos (v1.13.9) v1.36.3"]);
    const snapshots = ["talos-1.12.11", "talos-1.13.9", "kubernetes-1.35.4", "kubernetes-1.36.3"];
    for (const name of snapshots) await stat(path.join(site.folder, `lab/etcd-before-${name}.db`));
    expect((await site.up(to)).runReport.outcome).toBe("unchanged");
    const back = await rollBack(site, to, "worker-1");
    expect(back.runReport.error).toMatchObject({ code: "TALOS_ROLLBACK_UNFIT" });
  },
);

/** As `slipway rollback`, with nobody to ask. */
async function rollBack(site: RehearsalSite, fleetNow: ReturnType<typeof fleet>, node: string) {
  const events: EventBody[] = [];
  const world = site.rehearsal.world(never, (event) => events.push(event));
  const confirm = (): Promise<boolean> => Promise.resolve(true);
  return { runReport: await rollBackNode({ fleet: fleetNow, node, confirm }, world), events };
}

test("a node goes back to what it ran before its upgrade, and stays where there is nothing before; then a removed API holds Kubernetes", async () => {
  const old = fleet({ talos: "1.13.9", kubernetes: "1.35.4" });
  await using site = await runningSite(old, { latencies });
  const none = await rollBack(site, old, "lab/worker-1");
  expect(errorsIn(none.events).join()).toContain("TALOS_NOTHING_BEFORE");
  const to = fleet({ talos: "1.14.1", kubernetes: "1.35.4" });
  expect((await site.up(to)).runReport.outcome).toBe("done");
  const { runReport, events } = await rollBack(site, to, "worker-1");
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(systemsOf(site)).toEqual(["cp-1 Talos (v1.14.1) v1.35.4", "worker-1 Talos (v1.13.9) v1.35.4"]);
  const [lab] = Object.values(site.rehearsal.datacenter.talos.state());
  const nodes = (lab?.kube?.objects ?? []).filter(({ kind }) => kind === "Node") as unknown as KubeNode[];
  expect(nodes.filter(({ spec }) => spec?.unschedulable === true)).toEqual([]);
  const again = (await site.plan(to)).changes.filter(({ node }) => node.kind === "talos/system");
  expect(again.map(({ node }) => node.node)).toEqual(["worker-1"]);
  await removedApi(site, to);
});

/** Kubernetes 1.36 does not read what 1.35 stored of this alpha API: refused while there is some, done when it is gone. */
async function removedApi(site: RehearsalSite, from: ReturnType<typeof fleet>): Promise<void> {
  const { kube } = await kubeOf(
    from,
    site.rehearsal.world(never, () => {}),
  );
  const definition = definitionOf("scheduling.k8s.io", "v1alpha1", "Workload", "workloads", "Namespaced");
  await kube.apply(definition as Manifest);
  await site.pass(5_000);
  const workload = { apiVersion: "scheduling.k8s.io/v1alpha1", kind: "Workload" };
  await kube.apply({ ...workload, metadata: { name: "train", namespace: "default" } });
  const to = fleet({ talos: "1.14.1", kubernetes: "1.36.3" });
  const refused = await site.up(to);
  expect(refused.runReport.outcome).toBe("refused");
  expect(refused.runReport.error).toMatchObject({
    code: "TALOS_KUBERNETES_REMOVED",
    why: "it is gone from 1.36.3, and still in use: Workload default/train of scheduling.k8s.io/v1alpha1",
  });
  expect(finished(refused, /./)).toEqual([]);
  await kube.delete({ ...workload, name: "train", namespace: "default" });
  kube.close();
  const { runReport, events } = await site.up(to);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(systemsOf(site)).toEqual(["cp-1 Talos (v1.14.1) v1.36.3", "worker-1 Talos (v1.14.1) v1.36.3"]);
}

const namesOf = (role: string, count: number, first: number) =>
  Array.from({ length: count }, (_each, index) => ({
    name: `${role}-${index + 1}`,
    host: `10.8.0.${first + index}`,
  }));

test.skipIf(!isFull)(
  "Talos 1.11 to 1.13 on three control planes and five workers with Longhorn: its volumes are whole before each node goes",
  { ...whole, timeout: 900_000 },
  async () => {
    const size = {
      kubernetes: "1.34.1",
      controlPlanes: 3,
      workers: 5,
      more: "    rollout: { workers: 2 }\n    addons: [longhorn]\n",
    };
    const from = fleet({ talos: "1.11.6", ...size });
    await using site = await runningSite(from, { latencies });
    const { kube } = await kubeOf(
      from,
      site.rehearsal.world(never, () => {}),
    );
    await kube.apply({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data", namespace: "default" },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "longhorn",
        resources: { requests: { storage: "1Gi" } },
      },
    });
    const robustness = async (): Promise<unknown> => {
      const volumes = await kube.list<KubeObject & { status?: { robustness?: string } }>({
        apiVersion: "longhorn.io/v1beta2",
        kind: "Volume",
      });
      return volumes.items[0]?.status?.robustness;
    };
    while ((await robustness()) !== "healthy") await site.pass(1_000);
    const [controlPlanes, workers] = [namesOf("cp", 3, 10), namesOf("worker", 5, 20)];
    const reach = await watchCluster(site, { vip: "10.8.0.9", controlPlanes, workers, vipEveryMs: 1_000 });
    const told = await site.up(fleet({ talos: "1.13.9", ...size }));
    await reach.stop();
    expect(told.runReport.outcome, errorsIn(told.events).join("; ")).toBe("done");
    const names = [...controlPlanes, ...workers].map(({ name }) => name);
    expect(finished(told, /system/)).toEqual([
      ...names.map((name) => `lab/system-1.12.11/${name}`),
      ...names.map((name) => `lab/system/${name}`),
    ]);
    expect(systemsOf(site)).toEqual(names.map((name) => `${name} Talos (v1.13.9) v1.34.1`));
    // Two nodes may hold the only copies of a volume, so they go one by one although two workers could.
    expect(reach.mostAwayOf(names)).toBe(1);
    expect(reach.longestAwayMs("VIP")).toBeLessThanOrEqual(1_000);
    expect(await robustness()).toBe("healthy");
    kube.close();
  },
);
