import { appendFileSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import type { RunSummary } from "../../src/dashboard/index.ts";
import { realClock, Redaction } from "../../src/lib/index.ts";
import { eventStream, openJournal } from "../../src/operations/index.ts";
import { lockCluster } from "../../src/operations/run/lock.ts";
import type { EventBody, RunEvent } from "../../src/plan/index.ts";
import { bareDashboard, served, type Served } from "../support/dashboard/served.ts";

const newFolder = (): string => mkdtempSync(path.join(os.tmpdir(), "slipway-ui-"));

const first: EventBody = {
  type: "run",
  ...{ command: "up", clusters: ["lab"], world: "real", slipway: "1.0.0", file: "slipway.yaml" },
};
const log = (text: string): EventBody => ({ type: "log", level: "info", text });
const done: EventBody = {
  type: "done",
  outcome: "done",
  exitCode: 0,
  counts: { done: 3, failed: 0, skipped: 0, total: 3 },
  ...{ tookMs: 1_500, floorMs: 0, ownMs: 0, criticalPath: [], kept: "", outputs: {} },
};

/** A run of some terminal, with its lock and its journal. */
async function startRun(folder: string, name: string, atMs = realClock.now()) {
  const clock = { ...realClock, now: () => atMs };
  const unlock = await lockCluster(folder, "lab", "up", clock.now());
  const journal = await openJournal(folder, name);
  const tell = eventStream({ clock, redaction: new Redaction() }, journal.run, [journal.write]);
  tell(first);
  return {
    tell,
    file: path.join(folder, "runs", `${name}.ndjson`),
    async end(how?: EventBody) {
      await unlock();
      if (how) tell(how);
      journal.close();
    },
  };
}

let open: Served | undefined;
afterEach(() => open?.close());
const serve = async (folder: string): Promise<Served> => (open = await served(bareDashboard(folder)));
const eventsAt = (run: string): string => `/api/runs/${run}/events`;
const texts = (events: RunEvent[]) => events.map((event) => (event.type === "log" ? event.text : event.type));

test("a run of another terminal is followed while it goes on, by two readers, to its last word", async () => {
  const folder = newFolder();
  const run = await startRun(folder, "20260714-093102");
  run.tell(log("before anybody looked"));
  const dashboard = await serve(folder);
  expect(await dashboard.ask<RunSummary[]>("/api/runs")).toEqual([
    expect.objectContaining({ run: "20260714-093102", command: "up", clusters: ["lab"], world: "real" }),
  ]);
  const running = await dashboard.ask<RunSummary[]>("/api/runs");
  expect(running[0]?.outcome, "it runs").toBeUndefined();

  const seen: string[] = [];
  const reading = [1, 2].map((reader) =>
    dashboard.follow(eventsAt("20260714-093102"), {
      isEnough: (event) => {
        seen.push(`${reader} ${texts([event])[0]}`);
        return false;
      },
    }),
  );
  await expect.poll(() => seen.filter((each) => each.endsWith("before anybody looked")).length).toBe(2);
  run.tell(log("while they look"));
  await expect.poll(() => seen.filter((each) => each.endsWith("while they look")).length).toBe(2);
  await run.end(done);
  for (const { events, ids, end } of await Promise.all(reading)) {
    expect(texts(events)).toEqual(["run", "before anybody looked", "while they look", "done"]);
    expect(ids).toEqual([1, 2, 3, 4]);
    expect(end).toEqual({ isCut: false });
  }
  const [ended] = await dashboard.ask<RunSummary[]>("/api/runs");
  expect(ended).toMatchObject({ outcome: "done", tookMs: 1_500 });
});

test("a reader that comes back gets what it has not seen, and nothing twice", async () => {
  const folder = newFolder();
  const run = await startRun(folder, "20260714-093102");
  for (let number = 2; number <= 500; number++) run.tell(log(`line ${number}`));
  const dashboard = await serve(folder);
  const place = eventsAt("20260714-093102");
  const before = await dashboard.follow(place, { isEnough: ({ seq }) => seq === 137 });
  expect(before.end).toBeUndefined();
  run.tell(log("while nobody looked"));
  await run.end(done);
  const after = await dashboard.follow(place, { lastEventId: before.ids.at(-1) ?? 0 });
  expect([...before.ids, ...after.ids]).toEqual(Array.from({ length: 502 }, (_, index) => index + 1));
  const again = await dashboard.follow(place, { lastEventId: 502 });
  expect(again, "after the last one there is only the end").toMatchObject({ ids: [], end: { isCut: false } });
});

test("half a line is waited for, and told when it is whole", async () => {
  const folder = newFolder();
  const run = await startRun(folder, "20260714-093102");
  const dashboard = await serve(folder);
  const line = JSON.stringify({ v: 1, seq: 2, at: "", ms: 1, run: "x", ...log("grüße 😀 in two halves") });
  const bytes = Buffer.from(`${line}\n`);
  // In the middle of a character.
  const middle = bytes.indexOf(Buffer.from("😀")) + 2;
  appendFileSync(run.file, bytes.subarray(0, middle));
  const following = dashboard.follow(eventsAt("20260714-093102"), {
    isEnough: (event) => {
      if (event.seq === 1) setImmediate(() => appendFileSync(run.file, bytes.subarray(middle)));
      return event.seq === 2;
    },
  });
  expect(texts((await following).events)).toEqual(["run", "grüße 😀 in two halves"]);
  await run.end();
});

test("a run whose writer is gone is cut; a later one on the same cluster does not bring it back", async () => {
  const folder = newFolder();
  const killed = await startRun(folder, "20260714-093102", realClock.now() - 60_000);
  killed.tell(log("last heard of"));
  await killed.end();
  appendFileSync(killed.file, '{"v":1,"seq":3,"at":"2026-');
  const later = await startRun(folder, "20260714-100000");
  const dashboard = await serve(folder);
  const summaries = await dashboard.ask<RunSummary[]>("/api/runs");
  expect(summaries.map(({ run, outcome }) => [run, outcome])).toEqual([
    ["20260714-100000", undefined],
    ["20260714-093102", "cut"],
  ]);
  const { events, end } = await dashboard.follow(eventsAt("20260714-093102"));
  expect([texts(events), end]).toEqual([["run", "last heard of"], { isCut: true }]);
  await later.end(done);
});

test("journals that are hostile, huge or none at all break nothing and show nothing of others", async () => {
  const folder = newFolder();
  const runs = path.join(folder, "runs");
  mkdirSync(runs, { recursive: true });
  const head = { v: 1, seq: 1, at: "2026-07-14T09:31:02.000Z", ms: 0, run: "x" };
  const write = (name: string, ...lines: unknown[]) =>
    writeFileSync(
      path.join(runs, `${name}.ndjson`),
      lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""),
    );
  write("20260101-000001", "");
  write("20260101-000002", "\u0000\u0001garbage", "[]", "null", '"x"', "{}");
  write("20260101-000003", {
    ...head,
    type: "run",
    command: { toString: 1 },
    clusters: "lab",
    world: "mars",
  });
  write("20260101-000004", {
    ...head,
    type: "run",
    command: "up",
    clusters: ["../../../tmp"],
    world: "real",
  });
  // A carriage return between two parts would begin another field of the stream.
  write(
    "20260101-000005",
    { ...head, ...first },
    `{"v":1,"seq":2,"at":"","ms":0,"run":"x",\r"type":"log",\revent: end\r"level":"info","text":"a"}`,
    `{"v":1,"seq":3,"at":"","ms":0,"run":"x",\r"type":"log","level":"info","text":"b"}`,
    `{"v":1,"seq":1e99,"at":"","ms":0,"run":"x","type":"log"}`,
    { ...head, seq: 4, ...log("x".repeat(3 * 1024 ** 2)) },
    { ...head, seq: 5, ...done },
    { ...head, seq: 6, ...log("after the end") },
    "",
  );
  writeFileSync(path.join(folder, "secret.txt"), JSON.stringify({ ...head, ...first }));
  symlinkSync(path.join(folder, "secret.txt"), path.join(runs, "20260101-000006.ndjson"));
  writeFileSync(path.join(runs, "..ndjson"), JSON.stringify({ ...head, ...first }));
  mkdirSync(path.join(runs, "20260101-000007.ndjson"));
  write("notes", { ...head, ...first });

  const dashboard = await serve(folder);
  const summaries = await dashboard.ask<RunSummary[]>("/api/runs");
  expect(summaries.map(({ run, outcome }) => [run, outcome])).toEqual([
    ["20260101-000005", "done"],
    ["20260101-000004", "cut"],
  ]);
  const { ids, events, end } = await dashboard.follow(eventsAt("20260101-000005"));
  expect([ids, events.length, end]).toEqual([[1, 3, 4, 5], 4, { isCut: false }]);
  for (const name of ["20260101-000001", "20260101-000002"])
    expect(await dashboard.follow(eventsAt(name)), name).toMatchObject({ ids: [], end: { isCut: true } });
  for (const name of ["20260101-000006", "20260101-000007", "20260101-000008", "notes", "secret", ""])
    await expect(dashboard.follow(eventsAt(name)), name).rejects.toThrow(/^404 /);
});

test("a reader that does not read holds up nobody, and little is kept for it", async () => {
  const folder = newFolder();
  const run = await startRun(folder, "20260714-093102");
  for (let number = 0; number < 400; number++) run.tell(log("x".repeat(100_000)));
  await run.end(done);
  const dashboard = await serve(folder);
  const before = process.memoryUsage.rss();
  const headers = { authorization: `Bearer ${dashboard.token}` };
  const place = { host: "127.0.0.1", port: dashboard.port, path: eventsAt("20260714-093102"), headers };
  const stuck = await new Promise<http.IncomingMessage>((resolve) => http.get(place, resolve));
  const { ids } = await dashboard.follow(eventsAt("20260714-093102"), { isEnough: ({ seq }) => seq === 300 });
  expect(ids).toHaveLength(300);
  expect(process.memoryUsage.rss() - before, "of 40 MB that wait").toBeLessThan(400 * 1024 ** 2);
  stuck.destroy();
});

test("a stream that has nothing to tell says that it lives", async () => {
  const folder = newFolder();
  const run = await startRun(folder, "20260714-093102");
  const dashboard = await serve(folder);
  const following = dashboard.follow(eventsAt("20260714-093102"));
  await expect.poll(() => dashboard.heard.join("")).toContain("\n: still here\n\n");
  await run.end(done);
  expect((await following).ids).toEqual([1, 2]);
});
