import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { alerts } from "../../src/addons/slipway/monitoring.ts";
import { catalogue, fleetMetrics, type MetricDeclaration } from "../../src/controller/metrics/index.ts";
import { openTraces } from "../../src/controller/traces/index.ts";
import { eventStream, upFleet } from "../../src/operations/index.ts";
import { peers } from "../support/peers.ts";
import { findTelemetry, howToGetTelemetry, understood } from "../support/programs/telemetry.ts";
import { fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";

const program = findTelemetry();

interface Family {
  type: string;
  help: string;
  metrics: {
    labels: Record<string, string>;
    value?: number;
    count?: number;
    sum?: number;
    buckets?: Record<string, number>;
  }[];
}

interface Span {
  trace: string;
  span: string;
  parent: string;
  name: string;
  kind: string;
  startNano: string;
  endNano: string;
  status: string;
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
}

/** A whole run on the simulated datacenter, as Prometheus and a collector of OpenTelemetry get it. */
describe.skipIf(program === undefined)(`what a run leaves behind; ${howToGetTelemetry}`, peers, () => {
  let families: Record<string, Family>;
  let spans: Span[];
  let steps: string[];

  beforeAll(async () => {
    const fleet = fleetOf(await readFile("examples/proxmox-iso-homelab.yaml", "utf8"));
    await using site = await rehearsalSite(fleet);
    const { clock } = site.rehearsal.time;
    const bodies: string[] = [];
    const world = site.rehearsal.world(new AbortController().signal, () => {});
    const traces = openTraces({
      ...{ target: { url: "http://collector", headers: {} }, version: "0.1.0", clock },
      ...{ redaction: world.redaction, warn: expect.unreachable },
      send: (_url, init) => {
        bodies.push(String(init?.body));
        return Promise.resolve(new Response("{}"));
      },
    });
    const metrics = fleetMetrics({
      ...{ version: "0.1.0", node: process.version, clusters: () => [], isLeader: () => true },
      queues: () => ({ clusters: { depth: 0, longestRunningMs: 0 } }),
    });
    metrics.followCalls(world.calls);
    steps = [];
    const readers = [metrics.followRun(), traces.followRun(world.calls)];
    const tell = eventStream({ clock, redaction: world.redaction }, "20260714-000000", [
      ...readers,
      (event) => void (event.type === "finished" && steps.push(event.step)),
    ]);
    const request = { fleet, selection: {}, until: "addons" as const, acceptDataLoss: [] };
    const report = await upFleet({ ...request, confirm: () => Promise.resolve(true) }, { ...world, tell });
    expect(report.outcome).toBe("done");
    await traces.close();
    families = understood(program ?? "", "metrics", metrics.text()) as Record<string, Family>;
    spans = bodies.flatMap((body) => understood(program ?? "", "traces", body) as Span[]);
  });

  test("Prometheus' parser reads every family with its type, help and labels", () => {
    const declared = new Map<string, MetricDeclaration>(
      Object.values(catalogue).map((each) => [each.name, each]),
    );
    for (const [name, family] of Object.entries(families)) {
      expect(declared.get(name)).toMatchObject({ type: family.type.toLowerCase(), help: family.help });
      for (const metric of family.metrics)
        expect(new Set(Object.keys(metric.labels))).toEqual(new Set(declared.get(name)?.labels));
    }
    expect(Object.keys(families)).toEqual(
      expect.arrayContaining(
        ["plan_duration_seconds", "run_duration_seconds", "step_duration_seconds", "steps_total"].map(
          (name) => `slipway_${name}`,
        ),
      ),
    );
  });

  test("it counts every step and every call, and buckets end with all of them", () => {
    const counted = families["slipway_steps_total"]?.metrics ?? [];
    expect(counted.every(({ labels }) => labels["result"] === "done")).toBe(true);
    expect(counted.reduce((sum, { value = 0 }) => sum + value, 0)).toBe(steps.length);
    for (const { buckets = {}, count } of families["slipway_step_duration_seconds"]?.metrics ?? [])
      expect(buckets["+Inf"]).toBe(count);
    const backends = new Set(
      families["slipway_backend_request_duration_seconds"]?.metrics.map(({ labels }) => labels["backend"]),
    );
    expect([...backends]).toEqual(expect.arrayContaining(["factory", "kube", "proxmox", "talos"]));
  });

  test("the collector's decoder reads one trace: a run, its steps below it, calls below their steps", () => {
    expect(new Set(spans.map(({ trace }) => trace)).size).toBe(1);
    expect(new Set(spans.map(({ span }) => span)).size).toBe(spans.length);
    const [run, ...more] = spans.filter(({ parent }) => parent === "");
    expect([run?.name, more]).toEqual(["run up", []]);
    expect(run?.resource).toEqual({ "service.name": "slipway", "service.version": "0.1.0" });
    const ofSteps = spans.filter(({ parent, kind }) => parent === run?.span && kind === "Internal");
    expect(new Set(ofSteps.map(({ attributes }) => attributes["slipway.step.id"]))).toEqual(new Set(steps));
    expect(ofSteps).toHaveLength(steps.length);
    const byId = new Map(ofSteps.map((span) => [span.span, span]));
    const calls = spans.filter(({ kind }) => kind === "Client");
    expect(calls.length).toBeGreaterThan(steps.length);
    for (const { parent, attributes } of calls) {
      expect(attributes["slipway.step.id"]).toBe(byId.get(parent)?.attributes["slipway.step.id"]);
      expect(attributes["server.address"]).toMatch(/\S/);
    }
    for (const { parent } of calls) expect(byId.has(parent)).toBe(true);
    for (const { startNano, endNano } of spans) expect(BigInt(endNano) >= BigInt(startNano)).toBe(true);
  });
});

describe.skipIf(program === undefined)(`what is in deploy/; ${howToGetTelemetry}`, peers, () => {
  test("Prometheus loads the alert rules", async () => {
    const text = await readFile("deploy/prometheus/rules.yaml", "utf8");
    expect(understood(program ?? "", "rules", text)).toEqual(alerts.map(({ alert }) => alert));
    expect(() => understood(program ?? "", "rules", text.replace("sum by", "sum near"))).toThrow(
      "parse error",
    );
  });

  test("Prometheus understands every expression of the dashboard", async () => {
    const { panels } = JSON.parse(await readFile("deploy/grafana/slipway.json", "utf8")) as {
      panels: { targets?: { expr: string }[] }[];
    };
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    // As Grafana fills them in.
    const filled = expressions.map((expr) =>
      expr.replaceAll("$__rate_interval", "2m").replaceAll("$cluster", ".*"),
    );
    const found = understood(program ?? "", "expressions", filled.join("\n")) as string[];
    expect(found).toEqual(expressions.map(() => "vector"));
  });
});
