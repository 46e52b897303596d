import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { CallTrace, realClock, Redaction, type Clock } from "../../lib/index.ts";
import type { EventBody, PlannedStep, RunEvent } from "../../plan/index.ts";
import { openTraces, traceTarget } from "./exporter.ts";

interface Received {
  path: string | undefined;
  headers: http.IncomingHttpHeaders;
  body: string;
}

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A collector that answers with these statuses, then with 200. */
async function collector(...statuses: number[]): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = http.createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      received.push({ path: request.url, headers: request.headers, body });
      response.writeHead(statuses.shift() ?? 200).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

/** Waits take no time. */
const quickClock: Clock = { ...realClock, sleep: () => Promise.resolve() };

function traces(url: string, redaction = new Redaction()) {
  const warnings: string[] = [];
  const target = traceTarget({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20abc,x-team=ops",
  });
  if (!target) throw new Error("no target");
  const warn = (text: string) => void warnings.push(text);
  return { warnings, exporter: openTraces({ target, version: "0.1.0", clock: quickClock, redaction, warn }) };
}

const at = (ms: number): string => new Date(1_783_987_200_000 + ms).toISOString();

function shortRun(clusters: string[], read: (event: RunEvent) => void): void {
  const bodies: EventBody[] = [
    { type: "run", command: "up", clusters, world: "real", slipway: "0.1.0", file: "lab.yaml" },
    {
      ...{ type: "done", outcome: "unchanged", exitCode: 0, tookMs: 10, floorMs: 0, ownMs: 0 },
      ...{ counts: { done: 0, failed: 0, skipped: 0, total: 0 }, criticalPath: [], kept: "", outputs: {} },
    },
  ];
  for (const [seq, body] of bodies.entries())
    read({ v: 1, seq, at: at(seq * 10), ms: seq * 10, run: "20260714-000000", ...body });
}

interface Sent {
  resourceSpans: {
    scopeSpans: { spans: { traceId: string; startTimeUnixNano: string; name: string }[] }[];
  }[];
}
const spansIn = ({ body }: Received) =>
  (JSON.parse(body) as Sent).resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans),
  );

test("traces go where the variables of OpenTelemetry say, and nowhere without them", () => {
  expect(traceTarget({})).toBeUndefined();
  expect(traceTarget({ OTEL_EXPORTER_OTLP_ENDPOINT: "" })).toBeUndefined();
  expect(
    traceTarget({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://one:4318",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://two:4318/otlp",
    }),
  ).toEqual({ url: "http://two:4318/otlp", headers: {} });
});

test("a run is one trace, sent with the given headers; runs of one second are told apart", async () => {
  const { url, received } = await collector();
  const { exporter, warnings } = traces(url);
  shortRun(["one"], exporter.followRun(new CallTrace()));
  shortRun(["two"], exporter.followRun(new CallTrace()));
  await exporter.close();
  expect(warnings).toEqual([]);
  expect(received).toMatchObject([
    {
      path: "/v1/traces",
      headers: { authorization: "Basic abc", "x-team": "ops", "content-type": "application/json" },
    },
  ]);
  const [one, two] = received.flatMap(spansIn);
  expect([one?.name, one?.startTimeUnixNano]).toEqual(["run up", "1783987200000000000"]);
  expect(one?.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(two?.traceId).not.toBe(one?.traceId);
});

test("a collector that has too much to do is asked again; one that refuses is not, and is named once", async () => {
  const busy = await collector(503, 429);
  const patient = traces(busy.url);
  shortRun(["lab"], patient.exporter.followRun(new CallTrace()));
  await patient.exporter.close();
  expect([busy.received.length, patient.warnings]).toEqual([3, []]);

  const refusing = await collector(400, 400);
  const refused = traces(refusing.url);
  for (const name of ["one", "two"]) {
    shortRun([name], refused.exporter.followRun(new CallTrace()));
    await refused.exporter.close();
  }
  expect(refusing.received.length).toBe(2);
  expect(refused.warnings).toEqual([`traces are lost: ${refusing.url}/v1/traces answered 400`]);
});

test("without a collector a run goes on, and what is lost is said in words", async () => {
  const { exporter, warnings } = traces("http://127.0.0.1:9");
  shortRun(["lab"], exporter.followRun(new CallTrace()));
  await exporter.close();
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/^traces are lost: http:\/\/127\.0\.0\.1:9\/v1\/traces: /);
});

test("no secret leaves in a span, and a call of another run is not of this one", async () => {
  const { url, received } = await collector();
  const redaction = new Redaction();
  redaction.register("correct-horse-battery");
  const { exporter } = traces(url, redaction);
  const calls = new CallTrace();
  const timer = { enter: () => undefined, leave: () => undefined };
  const call = { protocol: "kubernetes", to: "a", call: "GET /?t=correct-horse-battery" } as const;
  const read = exporter.followRun(calls);
  const telling = { v: 1, seq: 1, at: at(0), ms: 0, run: "20260714-000000" } as const;
  const step = "lab/machine/cp-1";
  read({ ...telling, type: "run", command: "up", clusters: ["lab"], world: "real", slipway: "", file: "" });
  const planned: PlannedStep = {
    ...{
      id: step,
      title: "Create machine cp-1",
      kind: "proxmox/machine",
      face: { noun: "machine", label: "cp-1" },
    },
    ...{ action: "create", consequence: "create", group: "nodes", after: [], cluster: "lab" },
  };
  read({ ...telling, type: "plan", steps: [planned], same: 0, refused: [] });
  read({ ...telling, type: "started", step, action: "create" });
  for (const by of [step, "other/machine/cp-1", undefined])
    await calls.timing(timer, () => calls.run(call, () => Promise.resolve()), by);
  read({ ...telling, type: "finished", step, tookMs: 0, waitedMs: 0, queuedMs: 0 });
  await exporter.close();
  expect(received.flatMap(spansIn).map(({ name }) => name)).toEqual([
    ...["kubernetes GET /?t=(secret)", "Create machine cp-1"],
  ]);
});
