import { appendFileSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import type { EventBody } from "../../plan/index.ts";
import { eventStream } from "./event-stream.ts";
import { findCutRun, openJournal } from "./journal.ts";
import { Redaction, realClock } from "../../lib/index.ts";
import { smallDisk } from "../../../test/support/small-disk.ts";
import { peers } from "../../../test/support/peers.ts";

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

async function write(folder: string, name: string, events: EventBody[]): Promise<void> {
  const journal = await openJournal(folder, name);
  const tell = eventStream({ clock: realClock, redaction: new Redaction() }, journal.run, [journal.write]);
  for (const event of events) tell(event);
  journal.close();
}

const newFolder = () => mkdtempSync(path.join(os.tmpdir(), "slipway-journal-"));

test("findCutRun() finds a run that never came to its end, also when its last line was cut", async () => {
  const folder = newFolder();
  await write(folder, "20260101-000000", [
    runEvent,
    { type: "started", step: "lab/machine/cp-1", action: "create" },
  ]);
  appendFileSync(path.join(folder, "runs/20260101-000000.ndjson"), '{"v":1,"seq":3,"ty');
  expect(findCutRun(folder, ["lab"], "up")).toMatchObject({ run: "20260101-000000" });
  expect(findCutRun(folder, ["edge"], "up")).toBeUndefined();
});

test("findCutRun() looks at the latest run of the cluster only", async () => {
  const folder = newFolder();
  await write(folder, "20260101-000000", [runEvent]);
  await write(folder, "20260101-000001", [runEvent, doneEvent]);
  expect(findCutRun(folder, ["lab"], "up")).toBeUndefined();
});

test("findCutRun() finds a run that Ctrl-C stopped", async () => {
  const folder = newFolder();
  await write(folder, "20260101-000000", [runEvent, { ...doneEvent, outcome: "stopped", exitCode: 130 }]);
  expect(findCutRun(folder, ["lab"], "up")).toMatchObject({ run: "20260101-000000" });
});

test("openJournal() keeps journals private, and gives two runs of one second names of their own", async () => {
  const folder = newFolder();
  await write(folder, "20260101-000000", [runEvent]);
  await write(folder, "20260101-000000", [runEvent]);
  expect(readdirSync(path.join(folder, "runs"))).toEqual([
    "20260101-000000.ndjson",
    "20260101-000000b.ndjson",
  ]);
  expect(statSync(path.join(folder, "runs/20260101-000000.ndjson")).mode & 0o777).toBe(0o600);
});

test("a finished run is not resumed because of lines after its end, and no more of them are told [attack 12] [talos 9]", async () => {
  const folder = newFolder();
  const after: EventBody = { type: "log", level: "debug", text: "#9 200 in 3 ms" };
  await write(folder, "20260101-000000", [runEvent, doneEvent, after]);
  const file = path.join(folder, "runs/20260101-000000.ndjson");
  expect(readFileSync(file, "utf8").trimEnd().split("\n")).toHaveLength(2);
  // As older versions wrote it.
  appendFileSync(file, `${JSON.stringify({ v: 1, seq: 3, at: "", ms: 241_000, run: "r", ...after })}\n`);
  expect(findCutRun(folder, ["lab"], "up")).toBeUndefined();
});

test("a folder with nothing but a journal is hidden from git [attack 18]", async () => {
  const folder = path.join(newFolder(), ".slipway");
  await write(folder, "20260101-000000", [runEvent]);
  expect(readFileSync(path.join(folder, ".gitignore"), "utf8")).toBe("*\n");
});

test("a journal that cannot be opened ends the run before it begins [attack 6]", async () => {
  const folder = newFolder();
  writeFileSync(path.join(folder, "runs"), "a file where the folder should be");
  await expect(openJournal(folder, "20260101-000000")).rejects.toMatchObject({
    code: "RUN_JOURNAL_NOT_WRITTEN",
  });
});

test.skipIf(smallDisk.isMissing)(
  `a disk that fills up costs lines of the journal, never the run (${smallDisk.how}) [attack 6]`,
  peers,
  async () => {
    using disk = smallDisk.mount(64);
    const reasons: string[] = [];
    const journal = await openJournal(disk.folder, "20260101-000000", {
      onFailure: (why) => reasons.push(why),
    });
    const tell = eventStream({ clock: realClock, redaction: new Redaction() }, journal.run, [journal.write]);
    tell(runEvent);
    const free = disk.fill();
    for (let line = 0; line < 50; line += 1) tell({ type: "log", level: "info", text: "x".repeat(200) });
    expect(reasons).toEqual(["the disk is full"]);
    free();
    tell(doneEvent);
    journal.close();
    // Its end is there again, on a line of its own.
    expect(findCutRun(disk.folder, ["lab"], "up")).toBeUndefined();
  },
);
