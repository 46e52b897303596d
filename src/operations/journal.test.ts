import { appendFileSync, mkdtempSync, readdirSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import type { EventBody } from "../plan/index.ts";
import { eventStream } from "./event-stream.ts";
import { findCutRun, openJournal } from "./journal.ts";
import { realClock } from "../lib/index.ts";

const runEvent: EventBody = {
  type: "run",
  command: "up",
  clusters: ["lab"],
  world: "real",
  slipway: "test",
  file: "slipway.yaml",
};
const doneEvent: EventBody = {
  type: "done",
  outcome: "done",
  exitCode: 0,
  counts: { done: 0, failed: 0, skipped: 0, total: 0 },
  tookMs: 0,
  floorMs: 0,
  ownMs: 0,
  criticalPath: [],
  kept: "",
  outputs: {},
};

function write(folder: string, name: string, events: EventBody[]): void {
  const journal = openJournal(folder, name);
  const tell = eventStream(realClock, journal.run, [journal.write]);
  for (const event of events) tell(event);
  journal.close();
}

const newFolder = () => mkdtempSync(path.join(os.tmpdir(), "slipway-journal-"));

test("findCutRun() finds a run that never came to its end, also when its last line was cut", () => {
  const folder = newFolder();
  write(folder, "20260101-000000", [
    runEvent,
    { type: "started", step: "lab/machine/cp-1", action: "create" },
  ]);
  appendFileSync(path.join(folder, "runs/20260101-000000.ndjson"), '{"v":1,"seq":3,"ty');
  expect(findCutRun(folder, ["lab"], "up")).toMatchObject({ run: "20260101-000000" });
  expect(findCutRun(folder, ["edge"], "up")).toBeUndefined();
});

test("findCutRun() looks at the latest run of the cluster only", () => {
  const folder = newFolder();
  write(folder, "20260101-000000", [runEvent]);
  write(folder, "20260101-000001", [runEvent, doneEvent]);
  expect(findCutRun(folder, ["lab"], "up")).toBeUndefined();
});

test("findCutRun() finds a run that Ctrl-C stopped", () => {
  const folder = newFolder();
  write(folder, "20260101-000000", [runEvent, { ...doneEvent, outcome: "stopped", exitCode: 130 }]);
  expect(findCutRun(folder, ["lab"], "up")).toMatchObject({ run: "20260101-000000" });
});

test("openJournal() keeps journals private, and gives two runs of one second names of their own", () => {
  const folder = newFolder();
  write(folder, "20260101-000000", [runEvent]);
  write(folder, "20260101-000000", [runEvent]);
  expect(readdirSync(path.join(folder, "runs"))).toEqual([
    "20260101-000000.ndjson",
    "20260101-000000b.ndjson",
  ]);
  expect(statSync(path.join(folder, "runs/20260101-000000.ndjson")).mode & 0o777).toBe(0o600);
});
