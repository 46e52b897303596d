import { expect, test } from "vitest";
import type { EventBody, PlannedStep } from "../../../plan/index.ts";
import { newRunState, takeEvent, type RunState } from "../../../views/index.ts";
import { timelineOf, type Lane } from "./lanes.ts";

const step = (id: string, after: string[] = [], more: Partial<PlannedStep> = {}): PlannedStep => ({
  id: `lab/${id}`,
  title: `Create ${id}`,
  kind: "toy",
  face: { noun: "thing", label: id.split("/")[1] ?? id },
  action: "create",
  consequence: "create",
  group: "nodes",
  after: after.map((each) => `lab/${each}`),
  cluster: "lab",
  usualMs: 10_000,
  ...more,
});

const node = (name: string, host: string, after: string[] = []): PlannedStep =>
  step(`machine/${name}`, after, { node: name, host, face: { noun: "machine", label: name } });

function told(steps: PlannedStep[], ...events: [ms: number, body: EventBody][]): RunState {
  const state = newRunState();
  const all: [number, EventBody][] = [[0, { type: "plan", steps, same: 0, refused: [] }], ...events];
  all.forEach(([ms, body], index) =>
    takeEvent(state, { v: 1, seq: index + 1, at: "", ms, run: "r", ...body }),
  );
  return state;
}

const started = (id: string): EventBody => ({ type: "started", step: `lab/${id}`, action: "create" });
const finished = (id: string, tookMs: number, queuedMs = 0): EventBody => ({
  ...{ type: "finished", step: `lab/${id}`, tookMs, waitedMs: tookMs, queuedMs },
});

const drawn = ({ label, aside, status, segments }: Lane) => [
  `${label} ${aside}`.trim(),
  status,
  segments.map(({ kind, fromMs, toMs, isCritical }) => `${kind} ${fromMs}-${toMs}${isCritical ? "!" : ""}`),
];

const image = step("image/hydra", [], {
  group: "images",
  host: "hydra",
  face: { noun: "image", label: "hydra", lane: "Image hydra" },
});

test("a run under way: what is done, what is live, what is expected, and the critical path through all of it", () => {
  const state = told(
    [
      image,
      node("cp-1", "hydra", ["image/hydra"]),
      node("w-1", "hydra", ["image/hydra"]),
      step("cluster/etcd", ["machine/cp-1"], { group: "cluster" }),
    ],
    [0, started("image/hydra")],
    [20_000, finished("image/hydra", 20_000)],
    [20_000, started("machine/cp-1")],
    [20_000, started("machine/w-1")],
    [24_000, finished("machine/w-1", 4000, 3000)],
  );
  const { lanes, endMs } = timelineOf(state, 25_000);
  expect(lanes.map(drawn)).toEqual([
    ["Image hydra", "done", ["done 0-20000!"]],
    ["cp-1 hydra", "running", ["live 20000-25000!", "forecast 25000-30000!"]],
    ["w-1 hydra", "done", ["queue 20000-23000", "done 23000-24000"]],
    ["etcd", "pending", ["forecast 30000-40000!"]],
  ]);
  expect(endMs).toBe(40_000);
});

test("after a failure nothing is expected any more, and what it held up is skipped", () => {
  const state = told(
    [node("cp-1", "hydra"), step("cluster/etcd", ["machine/cp-1"], { group: "cluster" })],
    [0, started("machine/cp-1")],
    [
      9000,
      { type: "failed", step: "lab/machine/cp-1", error: { code: "X", what: "w", why: "y", next: "n" } },
    ],
    [9000, { type: "skipped", step: "lab/cluster/etcd", because: "lab/machine/cp-1" }],
  );
  expect(timelineOf(state, 9000).lanes.map(drawn)).toEqual([
    ["cp-1 hydra", "failed", ["failed 0-9000"]],
    ["etcd", "skipped", []],
  ]);
});

test("steps that wait for each other in a circle are drawn all the same", () => {
  const state = told([step("a/a", ["b/b"]), step("b/b", ["a/a"])]);
  expect(timelineOf(state, 0).lanes).toHaveLength(2);
});

test("1,000 nodes are one lane per host, but for those in trouble and on the critical path; a host opens", () => {
  const names = Array.from({ length: 1000 }, (_, index) => `w-${index}`);
  const steps = names.map((name, index) => node(name, `host-${index % 10}`));
  const state = told(
    steps,
    ...names.map((name): [number, EventBody] => [0, started(`machine/${name}`)]),
    [5000, { type: "failed", step: "lab/machine/w-7", error: { code: "X", what: "w", why: "y", next: "n" } }],
    ...names.slice(8).map((name): [number, EventBody] => [6000, finished(`machine/${name}`, 6000)]),
  );
  const { lanes } = timelineOf(state, 6000);
  expect(lanes.length).toBeLessThanOrEqual(24);
  expect(lanes.filter(({ folded }) => folded !== undefined)).toHaveLength(10);
  expect(lanes.find(({ node: name }) => name === "w-7")?.status).toBe("failed");
  const open = timelineOf(state, 6000, new Set(["host/host-3"])).lanes;
  expect(open.length - lanes.length).toBe(lanes.find(({ key }) => key === "host/host-3")?.folded);
});
