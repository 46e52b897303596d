import { expect, test } from "vitest";
import { testScreen } from "../../../../test/support/screens/canvas.ts";
import { expectGolden } from "../../../../test/support/golden.ts";
import { homelabRun, timed } from "../../../../test/support/screens/homelab-run.ts";
import type { EventBody, RunEvent } from "../../../plan/index.ts";
import { liveView } from "../live/live-view.ts";
import { plainView } from "./plain-view.ts";

const golden = (text: string, name: string) => expectGolden(text, import.meta.dirname, "testdata", name);

function tellAll(events: RunEvent[]) {
  const out = testScreen({ isTerminal: false });
  const err = testScreen({ isTerminal: false, isUnicode: false });
  const view = plainView({ out, err });
  for (const event of events) view.tell(event);
  view.close();
  return { out: out.text, err: err.text };
}

test("views can be told by whoever holds nothing but their function", () => {
  const out = testScreen({ isTerminal: false });
  const screens = { out, err: out };
  for (const { tell, close } of [plainView(screens), liveView({ ...screens, now: () => 0 })]) {
    homelabRun().forEach(tell);
    close();
  }
  expect(out.text).toContain("homelab is up");
});

test("plainView() tells a run line by line", () => {
  const { out, err } = tellAll(homelabRun());
  golden(out, "plain-up.txt");
  expect(err).toBe("");
});

test("plainView() writes nothing but ASCII", () => {
  expect(tellAll(homelabRun()).out).toMatch(/^[\x20-\x7e\n]*$/);
});

test("plainView() ends a failed run with the block on the error stream", () => {
  const error = {
    code: "PVE_STORAGE_FULL",
    what: 'Cannot create machine "cp-2"',
    why: 'storage "local-lvm" has 12 GiB free, the machine needs 40 GiB',
    next: 'Free 28 GiB on "local-lvm", then run "slipway up" again',
  };
  const failing = new Map([["homelab/machine/cp-2", error]]);
  const { out, err } = tellAll(homelabRun({ failing, kept: "12 finished steps; nothing was removed" }));
  golden(out, "plain-failed.txt");
  golden(err, "plain-failed-err.txt");
});

const waiting = (sinceMs: number, lastSeen: string): { ms: number; body: EventBody } => ({
  ms: 1_000 + Math.ceil(sinceMs / 1_000) * 1_000,
  body: {
    type: "waiting",
    step: "homelab/cluster/api",
    what: "192.168.1.100:6443 to answer",
    probe: "tls",
    sinceMs,
    deadlineMs: 300_000,
    lastSeen,
  },
});

test("plainView() speaks of a wait at 10s, 30s, then every minute", () => {
  const seconds = Array.from({ length: 200 }, (_, index) => waiting(index * 1_000 - (index % 2), "refused"));
  const { out } = tellAll(timed(seconds));
  expect(out.split("\n").map((text) => text.slice(0, 8).trim())).toEqual([
    "11.0s",
    "31.0s",
    "61.0s",
    "121.0s",
    "181.0s",
    "",
  ]);
});

test("plainView() speaks when a wait sees something new, but not of every number that ticks", () => {
  const { out } = tellAll(
    timed([
      waiting(0, "refused"),
      waiting(2_000, "certificate unknown"),
      waiting(3_000, "3 of 9 ready"),
      waiting(4_000, "4 of 9 ready"),
      waiting(5_000, "5 of 9 ready"),
    ]),
  );
  expect(out).toBe(
    "   3.0s wait   cluster/api 2s of 5m: certificate unknown\n   4.0s wait   cluster/api 3s of 5m: 3 of 9 ready\n",
  );
});

test("plainView() names what Ctrl-C waits for, what is skipped, retried and logged", () => {
  const step = "homelab/machine/cp-1";
  const { out, err } = tellAll(
    timed([
      { ms: 0, body: { type: "started", step, action: "create" } },
      { ms: 10, body: { type: "retried", step, attempt: 2, because: "got 595", inMs: 500 } },
      { ms: 20, body: { type: "log", level: "warn", text: "clock is 3s off", step } },
      { ms: 25, body: { type: "log", level: "debug", text: "GET /version" } },
      { ms: 30, body: { type: "stopping", signal: "SIGINT", running: [step], graceMs: 8_000 } },
      { ms: 40, body: { type: "skipped", step: "homelab/config/cp-1", because: step } },
    ]),
  );
  expect(out).toBe(
    [
      "   0.0s start  machine/cp-1",
      "   0.0s retry  machine/cp-1 attempt 2 in 0.5s: got 595",
      "   0.0s stop   SIGINT, 1 step to a safe point, at most 8s",
      "   0.0s skip   config/cp-1 needs machine/cp-1",
      "",
    ].join("\n"),
  );
  expect(err).toBe("   0.0s warn   machine/cp-1 clock is 3s off\n");
});

test("a call is one line: what, where to, its number, how it ended and how long it took", () => {
  const out = testScreen({ isTerminal: false });
  plainView({ out, err: out, logLevel: "debug" }).tell({
    v: 1,
    seq: 1,
    at: "2026-07-14T09:31:02.000Z",
    ms: 9_800,
    run: "r",
    type: "log",
    level: "debug",
    text: "#212 ok in 31 ms",
    host: "192.168.1.101",
    call: "talos MachineService/Version",
  });
  expect(out.text).toBe("   9.8s debug  talos MachineService/Version (192.168.1.101) #212 ok in 31 ms\n");
});

test("plainView() speaks seldom of a wait that shows a journal, which has another line with every look", () => {
  const lines = Array.from({ length: 60 }, (_, second) =>
    waiting(
      second * 1_000,
      `${["pulling", "unpacking", "starting", "checking"][second % 4]} ${"x".repeat(second)}`,
    ),
  );
  const told = tellAll(timed(lines))
    .out.split("\n")
    .filter((line) => line.includes(" wait "));
  expect(told.length).toBeGreaterThan(3);
  expect(told.length).toBeLessThan(12);
});
