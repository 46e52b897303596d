import { expect, test } from "vitest";
import { CallTrace } from "../../lib/index.ts";
import type { EventBody, PlannedStep, RunEvent } from "../../plan/index.ts";
import type { SlipwayCluster } from "../objects/index.ts";
import { catalogue } from "./catalogue.ts";
import { fleetMetrics } from "./fleet-metrics.ts";
import { Registry, type MetricDeclaration } from "./registry.ts";

const linesOf = (text: string, name: string): string[] =>
  text.split("\n").filter((line) => new RegExp(`^${name}(_bucket|_sum|_count)?[{ ]`).test(line));

const cluster = (name: string, phase: "Ready" | "Drifted"): SlipwayCluster => ({
  apiVersion: "slipway.dev/v1alpha1",
  kind: "SlipwayCluster",
  metadata: { name, namespace: "fleet" },
  spec: { hosts: "attic", cluster: {} },
  status: {
    observedGeneration: 1,
    phase,
    distribution: "talos",
    provider: "proxmox",
    kubernetesVersion: "1.36.3",
    osVersion: "1.13.9",
    conditions: [
      {
        ...{ type: "Ready", status: "Unknown", reason: "Unreachable", message: "" },
        ...{ lastTransitionTime: "2026-07-14T09:31:02Z", observedGeneration: 1 },
      },
    ],
  },
});

const metricsOf = (clusters: SlipwayCluster[] = []) =>
  fleetMetrics({
    version: "0.1.0",
    node: "v20.19.0",
    clusters: () => clusters,
    queues: () => ({ clusters: { depth: 3, longestRunningMs: 1500 } }),
    isLeader: () => true,
  });

test("a text escapes what its format needs, and buckets count all below their end", () => {
  const registry = new Registry();
  registry.gauge({ name: "odd", type: "gauge", help: "a\\b\nc", labels: ["x"] }, () => [
    [['q"\\\n'], Number.NaN],
    [["plain"], -Infinity],
  ]);
  const took = registry.histogram({
    ...{ name: "took_seconds", type: "histogram", help: "Took.", labels: ["verb"], buckets: [0.1, 1] },
  });
  for (const value of [0.1, 0.5, 7]) took.observe(["up"], value);
  registry.counter({ name: "unused_total", type: "counter", help: "Never.", labels: [] });
  expect(registry.text()).toBe(
    [
      ...["# HELP odd a\\\\b\\nc", "# TYPE odd gauge", 'odd{x="q\\"\\\\\\n"} NaN', 'odd{x="plain"} -Inf'],
      ...["# HELP took_seconds Took.", "# TYPE took_seconds histogram"],
      ...['took_seconds_bucket{verb="up",le="0.1"} 1', 'took_seconds_bucket{verb="up",le="1"} 2'],
      ...['took_seconds_bucket{verb="up",le="+Inf"} 3', 'took_seconds_sum{verb="up"} 7.6'],
      ...['took_seconds_count{verb="up"} 3', ""],
    ].join("\n"),
  );
  expect(() => registry.counter({ name: "odd", type: "counter", help: "", labels: [] })).toThrow(
    "declared twice",
  );
});

test("only gauges carry the name of a cluster, and every unit is in a name", () => {
  const of = (type: string) =>
    (Object.values(catalogue) as MetricDeclaration[]).filter((each) => each.type === type);
  for (const { name } of Object.values(catalogue)) expect(name).toMatch(/^slipway_[a-z_]+$/);
  for (const { name, labels } of [...of("counter"), ...of("histogram")])
    expect(labels, name).not.toContain("cluster");
  for (const { name } of of("counter")) expect(name).toMatch(/_total$/);
  for (const { name } of of("histogram")) expect(name).toMatch(/_seconds$/);
});

test("gauges follow the objects: what is gone leaves no line", () => {
  const clusters = [cluster("one", "Ready"), cluster("two", "Ready"), cluster("three", "Drifted")];
  const metrics = metricsOf(clusters);
  const [, , three] = clusters;
  if (!three) throw new Error("no third");
  metrics.seen(three, {
    changes: [{ kind: "proxmox/machine" }, { kind: "proxmox/machine" }, { kind: "talos/config" }],
    wanted: { talos: "1.13.9", kubernetes: "1.36.3" },
    nodes: [
      { isControlPlane: true, isReady: true, says: ["v1.36.3", "Talos (v1.13.8)"] },
      { isControlPlane: false, isReady: false, says: ["v1.36.30", "Talos (v1.13.9)"] },
      { isControlPlane: false, isReady: false, says: ["v1.36.3", "Talos (v1.13.9)"] },
    ],
  });
  metrics.seen(three, {
    care: {
      certificates: [
        { name: "Kubernetes API on cp-2", expires: "2027-07-14T00:00:00Z" },
        { name: "Kubernetes API on cp-1", expires: "2026-12-01T00:00:00Z" },
      ],
      backupAt: "2026-07-14T00:00:00Z",
      database: { members: 3, sizeBytes: 20_971_520 },
    },
  });
  const text = metrics.text();
  expect(linesOf(text, "slipway_clusters")).toEqual([
    'slipway_clusters{phase="Ready",distribution="talos",provider="proxmox"} 2',
    'slipway_clusters{phase="Drifted",distribution="talos",provider="proxmox"} 1',
  ]);
  expect(linesOf(text, "slipway_cluster_condition").slice(0, 3)).toEqual([
    'slipway_cluster_condition{cluster="fleet/one",type="Ready",status="True"} 0',
    'slipway_cluster_condition{cluster="fleet/one",type="Ready",status="False"} 0',
    'slipway_cluster_condition{cluster="fleet/one",type="Ready",status="Unknown"} 1',
  ]);
  expect(text.split("\n").filter((line) => line.includes('"fleet/three"'))).toEqual([
    'slipway_cluster_info{cluster="fleet/three",kubernetes_version="1.36.3",os_version="1.13.9",provider="proxmox"} 1',
    ...["True", "False", "Unknown"].map(
      (status, at) =>
        `slipway_cluster_condition{cluster="fleet/three",type="Ready",status="${status}"} ${at === 2 ? 1 : 0}`,
    ),
    'slipway_machines{cluster="fleet/three",role="control-plane",phase="Ready"} 1',
    'slipway_machines{cluster="fleet/three",role="worker",phase="NotReady"} 2',
    'slipway_machine_version_outdated{cluster="fleet/three",component="talos"} 1',
    'slipway_machine_version_outdated{cluster="fleet/three",component="kubernetes"} 1',
    'slipway_drift_changes{cluster="fleet/three",kind="proxmox/machine"} 2',
    'slipway_drift_changes{cluster="fleet/three",kind="talos/config"} 1',
    'slipway_etcd_members{cluster="fleet/three"} 3',
    'slipway_etcd_db_size_bytes{cluster="fleet/three"} 20971520',
    'slipway_etcd_snapshot_last_success_timestamp_seconds{cluster="fleet/three"} 1783987200',
    'slipway_certificate_expiry_timestamp_seconds{cluster="fleet/three",kind="Kubernetes API"} 1796083200',
  ]);
  clusters.pop();
  expect(metrics.text()).not.toContain("fleet/three");
  clusters.push(three);
  expect(metrics.text(), "an object of the same name is another one").not.toContain("slipway_drift_changes{");
});

const step = (id: string, kind: string): PlannedStep => ({
  ...{
    id,
    kind,
    title: id,
    face: { noun: "machine", label: id },
    action: "create",
    consequence: "create",
    group: "nodes",
  },
  ...{ after: [], cluster: "lab" },
});

/** The events of a run, numbered and timed as a stream would. */
const told = (...bodies: [ms: number, body: EventBody][]): RunEvent[] =>
  bodies.map(([ms, body], at) => ({
    ...{ v: 1, seq: at + 1, at: new Date(ms).toISOString(), ms, run: "20260714-093102" },
    ...body,
  }));

test("a run is counted from its events: plan, steps, repeats, waits for a host's lock, outcome", () => {
  const metrics = metricsOf();
  const [one, two, three] = ["lab/machine/cp-1", "lab/machine/cp-2", "lab/node/cp-1"];
  const done = { counts: { done: 1, failed: 1, skipped: 1, total: 3 }, tookMs: 20_000, floorMs: 0, ownMs: 0 };
  const events = told(
    [0, { type: "run", command: "up", clusters: ["lab"], world: "real", slipway: "0.1.0", file: "lab.yaml" }],
    [
      2_000,
      {
        ...{ type: "plan", same: 0, refused: [] },
        steps: [step(one, "proxmox/machine"), step(two, "proxmox/machine"), step(three, "talos/config")],
      },
    ],
    [2_000, { type: "started", step: one, action: "create" }],
    [2_000, { type: "started", step: two, action: "create" }],
    [2_000, { type: "queued", step: two, lock: "hydra/local-lvm", behind: one }],
    [2_500, { type: "retried", step: one, attempt: 1, because: "busy", inMs: 250 }],
    [3_000, { type: "retried", step: one, attempt: 2, because: "busy", inMs: 500 }],
    [6_000, { type: "finished", step: one, tookMs: 4_000, waitedMs: 0, queuedMs: 0 }],
    [6_000, { type: "started", step: two, action: "create" }],
    [8_000, { type: "queued", step: two, lock: "lab/restart", behind: one }],
    [9_000, { type: "started", step: two, action: "create" }],
    [12_000, { type: "failed", step: two, error: { code: "PVE_STORAGE_FULL", what: "", why: "", next: "" } }],
    [12_000, { type: "skipped", step: three, because: two }],
    [
      20_000,
      { ...done, type: "done", outcome: "failed", exitCode: 1, criticalPath: [], kept: "", outputs: {} },
    ],
  );
  const follow = metrics.followRun();
  for (const event of events) follow(event);
  const text = metrics.text();
  const sums = text.split("\n").filter((line) => /_sum\{|_total\{/.test(line));
  expect(sums).toEqual([
    'slipway_plan_duration_seconds_sum{verb="up",result="changes"} 2',
    'slipway_run_duration_seconds_sum{verb="up",result="failed"} 20',
    'slipway_step_duration_seconds_sum{kind="proxmox/machine",action="create",result="done"} 4',
    'slipway_step_duration_seconds_sum{kind="proxmox/machine",action="create",result="failed"} 10',
    'slipway_steps_total{kind="proxmox/machine",result="done"} 1',
    'slipway_steps_total{kind="proxmox/machine",result="failed"} 1',
    'slipway_steps_total{kind="talos/config",result="skipped"} 1',
    'slipway_step_retries_total{kind="proxmox/machine",result="done"} 2',
    'slipway_backend_lock_wait_seconds_sum{backend="proxmox",host="hydra"} 4',
  ]);
});

test("calls are counted by backend, with few methods, and shown while they are under way", async () => {
  const metrics = metricsOf();
  const calls = new CallTrace();
  const stop = metrics.followCalls(calls);
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const call = calls.run(
    { protocol: "kubernetes", to: "https://10.0.0.9:6443", call: "GET /api/v1/nodes/cp-1" },
    () => ended.then(() => 200),
    String,
  );
  await calls.run({ protocol: "libvirt", to: "qemu", call: 'define domain "cp-1"' }, () => Promise.resolve());
  await calls.run({ protocol: "talos", to: "10.0.0.1", call: "MachineService/Version" }, () =>
    Promise.resolve(),
  );
  expect(linesOf(metrics.text(), "slipway_backend_inflight")).toEqual([
    'slipway_backend_inflight{backend="kube",host="10.0.0.9:6443"} 1',
  ]);
  end();
  await call;
  const counts = metrics
    .text()
    .split("\n")
    .filter((line) => line.includes("request_duration_seconds_count"));
  expect(counts.map((line) => line.replace(/^[^{]*/, ""))).toEqual([
    '{backend="libvirt",method="define",code="ok"} 1',
    '{backend="talos",method="MachineService/Version",code="ok"} 1',
    '{backend="kube",method="GET",code="200"} 1',
  ]);
  expect(linesOf(metrics.text(), "slipway_backend_inflight")).toEqual([]);
  stop();
  calls.tell({ protocol: "ssh", to: "one", call: "log in as root", ms: 1, outcome: "ok" });
  expect(metrics.text()).not.toContain("ssh");
});

test("queues, the leader and the version", () => {
  const metrics = metricsOf();
  metrics.queueAdded("clusters");
  metrics.queueAdded("clusters");
  metrics.queueRetried("clusters");
  metrics.queueTaken("clusters", 250);
  const text = metrics.text();
  expect(text).toContain('slipway_workqueue_depth{queue="clusters"} 3\n');
  expect(text).toContain('slipway_workqueue_longest_running_seconds{queue="clusters"} 1.5\n');
  expect(text).toContain('slipway_workqueue_adds_total{queue="clusters"} 2\n');
  expect(text).toContain('slipway_workqueue_retries_total{queue="clusters"} 1\n');
  expect(text).toContain('slipway_workqueue_queue_duration_seconds_sum{queue="clusters"} 0.25\n');
  expect(text).toContain("slipway_leader 1\n");
  expect(text).toContain('slipway_build_info{version="0.1.0",node="v20.19.0"} 1\n');
});
