import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { catalogue } from "../../src/controller/metrics/index.ts";
import { conditionOf } from "../../src/clients/kube/index.ts";
import {
  clusterObject,
  fleetSite,
  hostsObject,
  type FleetSite,
  type StartedController,
} from "../support/controller/fleet-site.ts";
import { freePorts } from "../support/free-ports.ts";

/** What a controller shows of itself while it makes a cluster: probes, metrics, traces. One controller, in order. */

const net = "127.46.7";
let site: FleetSite;
let controller: StartedController;
let port: number;
const received: string[] = [];
const collector = http.createServer((request, response) => {
  let body = "";
  request.on("data", (part: Buffer) => (body += part.toString()));
  request.on("end", () => {
    received.push(body);
    response.writeHead(200).end("{}");
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  [port = 0] = await freePorts(1);
  site = await fleetSite({ net, withSecrets: ["lab"] });
  controller = await site.start("one", { port, env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } });
  await site.kube.apply(hostsObject(net));
  await site.kube.apply(clusterObject("lab", net));
  await site.untilCluster("lab", (each) => conditionOf(each, "Ready")?.status === "True");
});

afterAll(async () => {
  await site?.close();
  collector.close().closeAllConnections();
});

const ask = async (path: string): Promise<{ status: number; text: string }> => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: answer.status, text: await answer.text() };
};

test("it is alive and ready", async () => {
  expect(await ask("/healthz")).toEqual({ status: 200, text: "ok\n" });
  expect(await ask("/readyz")).toEqual({ status: 200, text: "ok\n" });
});

test("metrics tell of the cluster, its nodes, etcd and certificates, of the run and of every backend", async () => {
  // The slow look comes after the status.
  await site.time.clock.sleep(10_000);
  const { text } = await ask("/metrics");
  const has = (line: string | RegExp): void => expect(text).toMatch(line);
  has('slipway_clusters{phase="Ready",distribution="talos",provider="proxmox"} 1\n');
  has('slipway_cluster_condition{cluster="slipway-system/lab",type="Ready",status="True"} 1\n');
  has('slipway_machines{cluster="slipway-system/lab",role="control-plane",phase="Ready"} 1\n');
  has('slipway_machines{cluster="slipway-system/lab",role="worker",phase="Ready"} 1\n');
  has('slipway_machine_version_outdated{cluster="slipway-system/lab",component="talos"} 0\n');
  has('slipway_machine_version_outdated{cluster="slipway-system/lab",component="kubernetes"} 0\n');
  has('slipway_etcd_members{cluster="slipway-system/lab"} 1\n');
  has(/slipway_etcd_db_size_bytes\{cluster="slipway-system\/lab"\} [1-9]\d+\n/);
  has(
    /slipway_certificate_expiry_timestamp_seconds\{cluster="slipway-system\/lab",kind="kubeconfig"\} \d{10}/,
  );
  has('slipway_run_duration_seconds_count{verb="up",result="done"} 1\n');
  has(/slipway_plan_duration_seconds_count\{verb="plan",result="done"\} [1-9]/);
  has(/slipway_steps_total\{kind="proxmox\/machine",result="done"\} 2\n/);
  for (const backend of ["proxmox", "talos", "kube"])
    has(new RegExp(`slipway_backend_request_duration_seconds_count\\{backend="${backend}"`));
  has(/slipway_workqueue_adds_total\{queue="clusters"\} [1-9]/);
  has("slipway_leader 1\n");
  expect(text, "nothing is waited for any more").not.toContain("slipway_drift_changes{");
  // Those that only tell of trouble, or of what this cluster has not.
  const silent = Object.values(catalogue).flatMap(({ name }) =>
    text.includes(`# TYPE ${name} `) ? [] : [name],
  );
  expect(silent).toEqual(
    expect.arrayContaining(["slipway_drift_changes", "slipway_etcd_snapshot_last_success_timestamp_seconds"]),
  );
});

test("its run arrives at the collector as one trace, and with the controller the port is closed", async () => {
  controller.halt.abort();
  expect(await controller.ended).toBe("halted");
  const spans = received.flatMap(
    (body) =>
      (
        JSON.parse(body) as {
          resourceSpans: {
            scopeSpans: { spans: { name: string; traceId: string; parentSpanId?: string }[] }[];
          }[];
        }
      ).resourceSpans[0]?.scopeSpans[0]?.spans ?? [],
  );
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
  expect(roots.map(({ name }) => name)).toEqual(["run up"]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(spans.length).toBeGreaterThan(50);
  await expect(ask("/healthz")).rejects.toThrow("fetch failed");
});
