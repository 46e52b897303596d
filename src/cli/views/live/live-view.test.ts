import { expect, test } from "vitest";
import { testScreen } from "../../../../test/support/screens/canvas.ts";
import { fleetRun } from "../../../../test/support/screens/fleet-run.ts";
import { expectGolden } from "../../../../test/support/golden.ts";
import { homelabSteps } from "../../../../test/support/screens/homelab-plan.ts";
import { homelabRun, timed } from "../../../../test/support/screens/homelab-run.ts";
import { liveStage, play } from "../../../../test/support/screens/play-events.ts";
import { VirtualTerminal } from "../../../../test/support/screens/virtual-terminal.ts";
import type { ErrorData } from "../../../errors/index.ts";
import type { RunEvent } from "../../../plan/index.ts";

const golden = (text: string, name: string) => expectGolden(text, import.meta.dirname, "testdata", name);

test("liveView() early: images are fetched, the rest says what it waits for", () => {
  const stage = liveStage();
  play(stage, homelabRun(), 14_000);
  golden(stage.terminal.visible, "up-early.txt");
  expect(stage.terminal.isCursorHidden).toBe(true);
});

test("liveView() shows behind whom a machine queues", () => {
  const stage = liveStage();
  play(stage, homelabRun(), 45_500);
  golden(stage.terminal.visible, "up-queue.txt");
});

test("liveView() opens a wait that explains itself", () => {
  const stage = liveStage();
  play(stage, homelabRun(), 100_800);
  golden(stage.terminal.visible, "up-wait.txt");
});

test("liveView() puts details below names in a narrow ASCII terminal", () => {
  const stage = liveStage(new VirtualTerminal(44, 24, { isUnicode: false, hasColor: false }));
  play(stage, homelabRun(), 100_800);
  golden(stage.terminal.visible, "up-wait-44-ascii.txt");
});

test("liveView() in 50 columns, early", () => {
  const stage = liveStage(new VirtualTerminal(50, 24));
  play(stage, homelabRun(), 14_000);
  golden(stage.terminal.visible, "up-early-50.txt");
});

test("liveView() uses the width of a wide terminal", () => {
  const stage = liveStage(new VirtualTerminal(100, 40));
  play(stage, homelabRun());
  golden(stage.terminal.everything, "up-done-100.txt");
});

test("liveView() colours shapes and names, and moves the cursor only within its own lines", () => {
  const screen = testScreen({ hasColor: true, rows: 30 });
  const stage = liveStage(new VirtualTerminal(), { out: screen, err: screen });
  play(stage, homelabRun(), 100_000);
  screen.text = "";
  screen.rows = 40;
  stage.clock.advance(100);
  golden(screen.text.replaceAll("\x1b", "␛").replaceAll("\r\n", "\n"), "up-wait-color.txt");
});

test("liveView() ends with the answer", () => {
  const stage = liveStage(new VirtualTerminal(80, 40));
  play(stage, homelabRun());
  stage.view.close();
  golden(stage.terminal.everything, "up-done.txt");
  expect(stage.terminal.isCursorHidden).toBe(false);
  expect(stage.clock.pendingCount).toBe(0);
});

test("liveView() proposes only commands that exist", () => {
  const stage = liveStage(new VirtualTerminal(80, 40), { offers: (command) => command !== "ui" });
  play(stage, homelabRun());
  expect(stage.terminal.everything).not.toContain("slipway ui");
});

const unreachable = (node: string, address: string): [string, ErrorData] => [
  `homelab/config/${node}`,
  {
    code: "TALOS_UNREACHABLE",
    what: `Cannot reach ${node}`,
    why: `${address}:50000 stayed silent for 5m; its VM runs and sends but received 0 bytes`,
    next: 'Allow VLAN 14 on the switch port of orion, then run "slipway up" again',
    at: { file: "slipway.yaml", line: 18, column: 74, path: "clusters.homelab.network.vlan" },
    shared: "orion",
  },
];

const failingRun = () =>
  homelabRun({
    failing: new Map([unreachable("cp-3", "192.168.1.103"), unreachable("worker-3", "192.168.1.113")]),
    kept: "25 finished steps; 4 of 6 nodes are Ready; nothing was removed",
  });

test("liveView() ends a failed run with one block for one cause", () => {
  const stage = liveStage(new VirtualTerminal(80, 40));
  play(stage, failingRun());
  golden(stage.terminal.everything, "up-failed.txt");
});

test("liveView() keeps the failure readable in 44 columns", () => {
  const stage = liveStage(new VirtualTerminal(44, 60, { isUnicode: false }));
  play(stage, failingRun());
  golden(stage.terminal.everything, "up-failed-44-ascii.txt");
});

const stoppedRun = (): RunEvent[] => {
  const started = homelabRun().filter((event) => event.ms <= 45_000);
  const running = ["homelab/machine/cp-1", "homelab/image/orion"];
  return timed([
    ...started.map(({ v: _v, seq: _seq, at: _at, run: _run, ms, ...body }) => ({ ms, body })),
    { ms: 46_000, body: { type: "stopping", signal: "SIGINT", running, graceMs: 8_000 } },
    {
      ms: 48_000,
      body: {
        type: "done",
        outcome: "stopped",
        exitCode: 130,
        counts: { done: 10, failed: 0, skipped: 0, total: 28 },
        tookMs: 48_000,
        floorMs: 0,
        ownMs: 0,
        criticalPath: [],
        kept: "10 finished steps",
        outputs: {},
      },
    },
  ]);
};

test("liveView() says after Ctrl-C what still reaches a safe point", () => {
  const stage = liveStage();
  play(stage, stoppedRun(), 46_300);
  golden(stage.terminal.visible, "stopping.txt");
});

test("liveView() ends a stopped run with what holds and what to type", () => {
  const stage = liveStage();
  play(stage, stoppedRun());
  golden(stage.terminal.visible, "stopped.txt");
});

test("liveView() says what an interrupted run left", () => {
  const stage = liveStage();
  const steps = homelabSteps().filter((step) => step.kind !== "proxmox/seed" && step.group !== "images");
  const step = "homelab/machine/worker-2";
  const events = timed([
    {
      ms: 0,
      body: {
        type: "run",
        command: "up",
        clusters: ["homelab"],
        world: "real",
        slipway: "1.0.0",
        file: "slipway.yaml",
        resumes: { run: "20260714-092600", at: "2026-07-14T09:27:02.000Z", ms: 58_000 },
      },
    },
    { ms: 900, body: { type: "plan", steps, same: 9, refused: [], resumed: 9 } },
    { ms: 1_000, body: { type: "started", step, action: "create" } },
    { ms: 1_100, body: { type: "log", level: "warn", text: "its disk import was cut: imports again", step } },
  ]);
  play(stage, events, 3_000);
  golden(stage.terminal.visible, "up-resumed.txt");
});

test.each([50, 80, 120])("liveView() shows a fingerprint in one piece in %i columns", (columns) => {
  const stage = liveStage(new VirtualTerminal(columns, 40));
  const [run] = homelabRun();
  if (run?.type !== "run") throw new Error("the sample run has changed");
  const fingerprint = "q7Xk2mV0c9bTzY1nR4wLs8eHfUaJgDpK3oIx6tQyMvE=";
  const text = `cp-1 is trusted on first contact, fingerprint ${fingerprint}`;
  stage.view.tell(run);
  stage.view.tell({ ...run, type: "log", level: "warn", text, step: "homelab/config/cp-1" });
  play(stage, [], 3_000);
  const shown = stage.terminal.everything;
  expect(shown).toContain(fingerprint);
  expect(shown.replaceAll(/\s+/g, " ")).toContain(`! config/cp-1 ${text}`);
});

test("liveView() lets nobody take a rehearsal for the real thing", () => {
  const stage = liveStage(new VirtualTerminal(80, 40));
  play(stage, homelabRun({ world: "rehearsal" }), 14_000);
  expect(stage.terminal.visible).toContain("REHEARSAL   homelab   up");
  const whole = liveStage(new VirtualTerminal(80, 40));
  play(whole, homelabRun({ world: "rehearsal" }));
  golden(whole.terminal.everything, "rehearsed.txt");
});

test("liveView() says when nothing had to be done", () => {
  const stage = liveStage();
  const [run] = homelabRun();
  const done = homelabRun().at(-1);
  if (run?.type !== "run" || done?.type !== "done") throw new Error("the sample run has changed");
  stage.view.tell(run);
  stage.view.tell({ ...run, type: "plan", steps: [], same: 28, refused: [] });
  stage.view.tell({ ...done, outcome: "unchanged", tookMs: 1_400 });
  expect(stage.terminal.visible).toBe(
    "✓ homelab   no changes: 28 resources are as slipway.yaml says               1.4s\n",
  );
});

test("liveView() folds 300 nodes: problems, waits, then strips by host", () => {
  const stage = liveStage(new VirtualTerminal(80, 12));
  play(stage, fleetRun(), 242_000);
  golden(stage.terminal.visible, "up-300.txt");
});

test.each([6, 10, 24, 60])("liveView() never draws more than %i rows less two", (rows) => {
  const terminal = new VirtualTerminal(80, rows);
  const stage = liveStage(terminal);
  play(stage, fleetRun(), 243_000, () => {
    // A region taller than the terminal would lose its header at the top.
    expect(terminal.scrolled).toEqual([]);
  });
  const lines = terminal.visible.trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(rows - 2);
});

test("liveView() never changes a line that is finished", () => {
  const terminal = new VirtualTerminal(80, 16);
  const stage = liveStage(terminal);
  let finished: string[] = [];
  play(stage, homelabRun(), Infinity, () => {
    const all = terminal.everything.split("\n");
    const header = all.findLastIndex((text) => text.startsWith("homelab   up"));
    expect(all.slice(0, finished.length)).toEqual(finished);
    if (header >= 0) finished = all.slice(0, header);
  });
  expect(finished.length).toBeGreaterThan(5);
});

test("liveView() repaints its lines when the terminal becomes narrower", () => {
  const terminal = new VirtualTerminal(100, 30);
  const stage = liveStage(terminal);
  play(stage, homelabRun(), 14_000);
  terminal.resize(70, 30);
  stage.clock.advance(300);
  const lines = terminal.visible.split("\n");
  expect(lines.filter((text) => text.startsWith("homelab   up"))).toHaveLength(1);
  expect(lines.filter((text) => text.startsWith("▸ Images"))).toHaveLength(1);
});

test("liveView() leaves the screen to a question until work begins", () => {
  const stage = liveStage();
  const events = homelabRun();
  const isBefore = (event: RunEvent) => event.ms <= 1_900;
  play(stage, events.filter(isBefore), 1_900);
  stage.view.say("the plan\nGo on? [y/N] ");
  const { writeCount } = stage.terminal;
  stage.clock.advance(10_000);
  expect(stage.terminal.writeCount).toBe(writeCount);
  expect(stage.terminal.isCursorHidden).toBe(false);
  expect(stage.terminal.visible).toContain("the plan\nGo on? [y/N]");
});

test("liveView() draws at most ten times a second, however much is told", () => {
  const stage = liveStage();
  const events = fleetRun();
  for (const event of events.slice(0, 2)) stage.view.tell(event);
  stage.clock.advance(200);
  const { writeCount } = stage.terminal;
  for (const event of events) stage.view.tell(event);
  expect(stage.terminal.writeCount - writeCount).toBeLessThanOrEqual(2);
  stage.clock.advance(1_000);
  expect(stage.terminal.writeCount - writeCount).toBeLessThanOrEqual(13);
});

test("liveView() gives the terminal back when it is closed in the middle", () => {
  const stage = liveStage();
  play(stage, homelabRun(), 14_000);
  stage.view.close();
  stage.view.close();
  expect(stage.terminal.isCursorHidden).toBe(false);
  expect(stage.terminal.visible).not.toContain("Images");
  expect(stage.clock.pendingCount).toBe(0);
});
