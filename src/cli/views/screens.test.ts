import { expect, test } from "vitest";
import { testScreen } from "../../../test/support/screens/canvas.ts";
import { expectGolden } from "../../../test/support/golden.ts";
import { homelabRun } from "../../../test/support/screens/homelab-run.ts";
import type { ErrorData } from "../../errors/index.ts";
import { Redaction, realClock } from "../../lib/index.ts";
import { eventStream } from "../../operations/index.ts";
import type { EventBody, RunEvent } from "../../plan/index.ts";
import { renderLeftNow } from "./live/closing.ts";
import { groupFailures } from "../../views/run/group-failures.ts";
import { verifyView } from "./checks/verify-view.ts";
import { renderError } from "./problem/render-error.ts";
import { renderHome } from "./render-home.ts";
import { renderStatus, type AddonRow, type ClusterRow, type NodeRow } from "./render-status.ts";
import { renderTimeline } from "../../../test/support/screens/render-timeline.ts";

const wide = testScreen();
const narrow = testScreen({ columns: 50 });
const golden = (text: string, name: string) => expectGolden(text, import.meta.dirname, "testdata", name);

const storageFull: ErrorData = {
  code: "PVE_STORAGE_FULL",
  what: 'Cannot create machine "cp-2"',
  why: 'storage "local-lvm" has 12 GiB free, the machine needs 40 GiB',
  next: 'Free 28 GiB on "local-lvm" or name another storage, then run "slipway up" again',
  at: { file: "cluster.yaml", line: 31, column: 9, path: "machines[1].disk" },
};

test("renderError() says what, why, where and what to do", () => {
  golden(renderError(storageFull, { kept: "6 finished steps; nothing was removed" }, wide), "error.txt");
  golden(renderError(storageFull, { kept: "6 finished steps; nothing was removed" }, narrow), "error-50.txt");
});

test("renderError() shows an alternative where there is one", () => {
  const error = { ...storageFull, else: "Put cp-2 on hydra in the file" };
  expect(renderError(error, {}, wide)).toContain("  else  Put cp-2 on hydra in the file\n");
});

const failed = (node: string, more: Partial<ErrorData> = {}) => ({
  step: `homelab/machine/${node}`,
  node,
  error: { ...storageFull, what: `Cannot create machine "${node}"`, shared: "orion", ...more },
});

test("groupFailures() makes one block of one cause", () => {
  const [block, ...others] = groupFailures([failed("cp-3"), failed("worker-3")]);
  expect(others).toEqual([]);
  expect(block?.what).toBe("Cannot create 2 machines on orion: cp-3, worker-3");
  expect(block?.why).toBe(storageFull.why);
});

test("groupFailures() keeps different causes apart", () => {
  const blocks = groupFailures([
    failed("cp-1", { shared: "hydra" }),
    failed("cp-3"),
    failed("cp-2", { code: "OTHER" }),
  ]);
  expect(blocks.map((block) => block.what)).toEqual([
    'Cannot create machine "cp-1"',
    'Cannot create machine "cp-3"',
    'Cannot create machine "cp-2"',
  ]);
});

test("groupFailures() lists what differs, and what differs only in numbers once", () => {
  const [alike] = groupFailures([failed("cp-1", { why: "2 of 3" }), failed("cp-2", { why: "1 of 3" })]);
  expect(alike?.why).toBe("cp-1: 2 of 3; cp-2 alike");
  const [different] = groupFailures([failed("cp-1", { why: "slow" }), failed("cp-2", { why: "silent" })]);
  expect(different?.why).toBe("cp-1: slow; cp-2: silent");
});

test("renderHome() shows where you are and what can be typed", () => {
  const file = { name: "slipway.yaml", clusters: ["homelab", "edge"], isValid: true };
  golden(renderHome({ version: "1.0.0", file }, wide), "home.txt");
  golden(renderHome({ version: "1.0.0" }, narrow), "home-50.txt");
});

test("renderHome() leaves out commands that do not exist", () => {
  const text = renderHome(
    { version: "1.0.0", offers: (command) => command !== "graph" && command !== "doctor" },
    wide,
  );
  expect(text).not.toContain("graph");
  expect(text).not.toContain("doctor");
  expect(text).toContain("ui");
});

const clusters: ClusterRow[] = [
  { name: "media", mark: "ok", state: "Ready", ready: 3, total: 3, version: "K3s 1.36.3", know: "cert 71d" },
  {
    name: "edge",
    mark: "differs",
    state: "Ready, differs",
    ready: 5,
    total: 5,
    version: "Talos 1.13.8  K8s 1.36.3",
    know: "5 changes",
  },
  {
    name: "homelab",
    mark: "run",
    state: "Deploying",
    ready: 4,
    total: 6,
    version: "Talos 1.13.9  K8s 1.36.3",
    know: "24 of 28, ~1m",
  },
  {
    name: "rancher",
    mark: "warn",
    state: "Degraded",
    ready: 5,
    total: 6,
    version: "K3s 1.35.6",
    know: "worker-2 disk 97%",
  },
];

const nodes: NodeRow[] = [
  {
    name: "cp-1",
    mark: "ok",
    state: "Ready",
    host: "hydra",
    address: "192.168.1.101",
    vmid: 2000,
    usage: { cpuPercent: 9, cores: 2, memoryUsedMiB: 1680, memoryMiB: 4096 },
    know: "etcd leader, VIP",
  },
  {
    name: "worker-1",
    mark: "ok",
    state: "Ready",
    host: "hydra",
    address: "192.168.1.111",
    vmid: 3000,
    usage: { cpuPercent: 22, cores: 4, memoryUsedMiB: 5161, memoryMiB: 8192 },
    know: "",
  },
  {
    name: "cp-3",
    mark: "bad",
    state: "Unreachable",
    host: "orion",
    address: "192.168.1.103",
    vmid: 2002,
    know: "since 6m, VM runs",
  },
];

const addons: AddonRow[] = [
  { name: "cilium", mark: "ok", state: "Ready", version: "1.20.1", owner: "slipway", know: "" },
  {
    ...{ name: "longhorn", mark: "bad", state: "Not Ready", version: "1.12.1", owner: "slipway" },
    know: "DaemonSet longhorn-system/longhorn-manager: 2 of 3 ready",
  },
  { name: "flux", mark: "ok", state: "Handed over", version: "0.58.1", owner: "gitops", know: "" },
  {
    ...{ name: "podinfo", mark: "differs", state: "Leaving", version: "", owner: "slipway" },
    know: "not in the file any more",
  },
];

test("renderStatus() puts problems first", () => {
  golden(renderStatus({ clusters }, wide), "status.txt");
  golden(renderStatus({ nodes }, wide), "status-nodes.txt");
  golden(renderStatus({ nodes, addons }, wide), "status-addons.txt");
  golden(renderStatus({ nodes, addons }, narrow), "status-addons-50.txt");
  golden(renderStatus({ clusters }, narrow), "status-50.txt");
  golden(renderStatus({ nodes }, testScreen({ columns: 44, isUnicode: false })), "status-nodes-44-ascii.txt");
});

const unreachableBecause = {
  code: "VERIFY_TALOS_SILENT",
  what: 'Cannot hear Talos on every node of "homelab"',
  why: "cp-3 does not answer: no answer within 5s",
  next: "See whether its machine runs: slipway status homelab",
};
const cp3 = { "cp-3": "does not answer" };
const checked = { type: "check", phase: "verify", cluster: "homelab" } as const;
const verified: EventBody[] = [
  { type: "run", command: "verify", clusters: ["homelab"], world: "real", slipway: "1.0.0", file: "a.yaml" },
  { ...checked, id: "machines", title: "Machines run", status: "ok", found: "6 of 6", tookMs: 200 },
  {
    ...{ ...checked, id: "talos", title: "Talos answers", status: "failed", tookMs: 3_000 },
    ...{ found: "5 of 6: cp-3 does not answer", error: unreachableBecause, nodes: cp3 },
  },
  {
    ...{ ...checked, id: "etcd", title: "etcd healthy", status: "warned", tookMs: 200 },
    ...{ found: "2 of 3, quorum holds; cp-3 as above", nodes: cp3, because: "talos" },
  },
  {
    ...checked,
    id: "api",
    title: "Kubernetes API through the VIP",
    status: "ok",
    found: "held by cp-1",
    tookMs: 43,
  },
  {
    ...{ ...checked, id: "cni", title: "CNI ready", status: "skipped", tookMs: 0 },
    ...{ because: "talos", found: "Talos answers as above" },
  },
  { ...checked, id: "storage", title: "Storage takes data", status: "skipped", found: "no class", tookMs: 0 },
  {
    ...{
      type: "done",
      outcome: "failed",
      exitCode: 1,
      tookMs: 7_000,
      floorMs: 0,
      ownMs: 0,
      criticalPath: [],
    },
    ...{ kept: "", outputs: {}, counts: { done: 2, failed: 1, skipped: 2, total: 6 } },
  },
];

test.each([80, 50])("verify lists each check and counts them, %d columns wide", (columns) => {
  const screen = testScreen({ columns });
  const view = verifyView({ out: screen, err: screen });
  const tell = eventStream({ clock: realClock, redaction: new Redaction() }, "20260714-093102", [view.tell]);
  for (const event of verified) tell(event);
  golden(screen.text, columns === 80 ? "checks.txt" : "checks-50.txt");
});

test("timelineLines() charts a finished run from its events", () => {
  golden(renderTimeline(homelabRun(), wide), "timeline.txt");
  golden(renderTimeline(homelabRun(), testScreen({ isUnicode: false })), "timeline-ascii.txt");
  expect(renderTimeline(homelabRun(), testScreen({ columns: 50 }))).toBe("");
});

test("timelineLines() names what is written at home in one way, and no two lanes alike", () => {
  const events = homelabRun().map((event): RunEvent => {
    if (event.type === "done")
      return { ...event, criticalPath: ["homelab/cluster/secrets", ...event.criticalPath] };
    const isLong = event.type === "finished" && event.step === "homelab/cluster/access";
    return isLong ? { ...event, ms: event.ms + 60_000 } : event;
  });
  const labels = renderTimeline(events, wide)
    .split("\n")
    .map((text) => text.slice(2, 16).trim());
  expect(labels).toContain("Secrets");
  expect(labels).toContain("Access files");
  expect(new Set(labels.map((label) => label.toLowerCase())).size).toBe(labels.length);
});

test("timelineLines() keeps its columns beside a name that is longer than they are", () => {
  const long = "control-plane-of-the-northern-site-1";
  const events = JSON.parse(JSON.stringify(homelabRun()).replaceAll("cp-1", long)) as RunEvent[];
  const [axis = "", ...lanes] = renderTimeline(events, wide).trimEnd().split("\n").slice(0, -1);
  const from = axis.indexOf("0s");
  expect(lanes.some((lane) => lane.startsWith("  control-plan…"))).toBe(true);
  expect(lanes.map((lane) => lane.charAt(from - 1).trim())).toEqual(lanes.map(() => ""));
  expect(renderTimeline(events, testScreen({ columns: 160 }))).toContain(` ${long} `);
  const renamed = JSON.parse(JSON.stringify(events).replaceAll("homelab", `home-${long}`)) as RunEvent[];
  const [name, below = ""] = renderTimeline(renamed, wide).split("\n");
  expect([name, below.indexOf("0s")]).toEqual([`home-${long}`, from]);
});

test("renderLeftNow() says what holds when a second Ctrl-C leaves at once", () => {
  expect(renderLeftNow(wide)).toBe(
    [
      "  safe  Nothing is half-recorded; what exists carries its owner tag",
      "  next  slipway up          goes on from here",
      "        slipway down        takes it away",
      "",
    ].join("\n"),
  );
});
