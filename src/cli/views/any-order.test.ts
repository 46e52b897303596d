import * as fc from "fast-check";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { testScreen } from "../../../test/support/screens/canvas.ts";
import { HandClock } from "../../../test/support/screens/hand-clock.ts";
import { runStart } from "../../../test/support/screens/homelab-run.ts";
import { step as planned } from "../../../test/support/screens/homelab-plan.ts";
import type { EventBody, Refusal, RunEvent } from "../../plan/index.ts";
import { liveView } from "./live/live-view.ts";
import { plainView } from "./plain/plain-view.ts";
import { renderPlan } from "./plan/render-plan.ts";
import { renderTimeline } from "../../../test/support/screens/render-timeline.ts";
import { isFull } from "../../../test/support/whole-sweep.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 120 }),
  fc.constantFrom(
    "connection refused",
    "storage full, 3 GiB short",
    "日本語の名前です",
    "\x1b[2J\nevil\ttext",
  ),
);
const step = fc.constantFrom(
  "homelab/machine/cp-1",
  "homelab/machine/cp-2",
  "homelab/image/hydra",
  "homelab/cluster/api",
  "homelab/addon/a-very-long-name-of-an-add-on-that-nobody-would-choose",
  "odd",
);
const ms = fc.integer({ min: 0, max: 4_000_000 });
const error = fc.record({
  code: fc.constantFrom("A_CODE", "ANOTHER"),
  what: text,
  why: text,
  next: text,
  shared: text,
});
const steps = fc.uniqueArray(step, { maxLength: 6 }).map((ids) =>
  ids.map((id, index) => {
    const [, kind = "odd", name = "odd"] = id.split("/");
    return planned(kind, name, {
      group: index % 2 === 0 ? "nodes" : "images",
      host: `host-${index}`,
      after: ids.slice(0, index),
      usualMs: index * 10_000,
      ...(index % 2 === 0 && { node: name }),
    });
  }),
);

const body: fc.Arbitrary<EventBody> = fc.oneof(
  fc.record({
    type: fc.constant("run" as const),
    command: fc.constantFrom("up", "down", "upgrade"),
    clusters: fc.uniqueArray(fc.constantFrom("homelab", "edge"), { maxLength: 2 }),
    world: fc.constantFrom("real" as const, "rehearsal" as const),
    slipway: fc.constant("1.0.0"),
    file: text,
    resumes: fc.option(fc.record({ run: text, at: text, ms }), { nil: undefined }),
  }) as fc.Arbitrary<EventBody>,
  fc.record({ type: fc.constant("plan" as const), steps, same: ms, refused: fc.constant<Refusal[]>([]) }),
  fc.record({
    type: fc.constant("check" as const),
    phase: fc.constantFrom("preflight" as const, "verify" as const),
    id: text,
    title: text,
    status: fc.constantFrom("ok" as const, "warned" as const, "failed" as const, "skipped" as const),
    tookMs: ms,
    error,
  }),
  fc.record({ type: fc.constant("queued" as const), step, lock: text, behind: step }),
  fc.record({ type: fc.constant("started" as const), step, action: fc.constant("create" as const) }),
  fc.record({
    type: fc.constant("progress" as const),
    step,
    done: ms,
    total: ms,
    unit: fc.constantFrom("bytes" as const, "steps" as const, "percent" as const),
  }),
  fc.record({
    type: fc.constant("waiting" as const),
    step,
    what: text,
    probe: text,
    sinceMs: ms,
    deadlineMs: ms,
    lastSeen: text,
    cause: text,
  }),
  fc.record({ type: fc.constant("retried" as const), step, attempt: ms, because: text, inMs: ms }),
  fc.record({ type: fc.constant("finished" as const), step, tookMs: ms, waitedMs: ms, queuedMs: ms }),
  fc.record({ type: fc.constant("failed" as const), step, error }),
  fc.record({ type: fc.constant("skipped" as const), step, because: step }),
  fc.record({ type: fc.constant("log" as const), level: fc.constant("warn" as const), text, step }),
  fc.record({ type: fc.constant("stopping" as const), signal: text, running: fc.array(step), graceMs: ms }),
  fc.record({
    type: fc.constant("done" as const),
    outcome: fc.constantFrom("done", "unchanged", "failed", "stopped", "refused"),
    exitCode: fc.constant(0),
    counts: fc.record({ done: ms, failed: ms, skipped: ms, total: ms }),
    tookMs: ms,
    floorMs: ms,
    ownMs: ms,
    criticalPath: fc.array(step),
    kept: text,
    outputs: fc.record({ endpoint: text, kubeconfig: text }),
  }) as fc.Arbitrary<EventBody>,
  fc.constant({ type: "of-a-later-version" } as unknown as EventBody),
);

const events = fc.array(fc.tuple(ms, body), { maxLength: 40 }).map((list) =>
  list.map(([at, event], index): RunEvent => ({
    v: 1,
    seq: index,
    at: "2026-07-14T09:31:02.000Z",
    ms: at,
    run: "20260714-093102",
    ...event,
  })),
);

const screens = fc.record({
  columns: fc.integer({ min: 40, max: 100 }),
  rows: fc.integer({ min: 4, max: 50 }),
  hasColor: fc.boolean(),
  isUnicode: fc.boolean(),
});

// oxlint-disable-next-line no-control-regex -- escape sequences are what is looked for
const sequences = /\x1b\[[?\d;]*[A-Za-z]/g;

function expectNoWiderThan(columns: number, written: string): void {
  for (const drawn of written.replace(sequences, "").split(/\r?\n/)) {
    // What is there to be copied stays in one piece, and so does a single word that no line is wide enough for.
    const isWhole = /^ {2}(?:use {3}|(?:why|next) +\S+$)/.test(drawn);
    expect(stringWidth(drawn), drawn).toBeLessThanOrEqual(isWhole ? Infinity : columns);
    expect(drawn).not.toContain("\x1b");
  }
}

test("no order of events crashes the live view or draws a line wider than the screen", () => {
  fc.assert(
    fc.property(events, screens, (told, look) => {
      const clock = new HandClock(runStart);
      const screen = testScreen(look);
      const view = liveView({ out: screen, err: screen, now: () => clock.now(), wall: clock, timer: clock });
      for (const event of told) {
        view.tell(event);
        clock.jump(120);
      }
      view.close();
      expectNoWiderThan(look.columns, screen.text);
    }),
    { numRuns: isFull ? 300 : 100 },
  );
});

test("no order of events crashes plain lines or the timeline", () => {
  fc.assert(
    fc.property(events, screens, (told, look) => {
      const out = testScreen(look);
      const err = testScreen(look);
      const view = plainView({ out, err });
      for (const event of told) view.tell(event);
      view.close();
      for (const drawn of out.text.split("\n")) expect(drawn).not.toContain("\x1b");
      expectNoWiderThan(look.columns, renderTimeline(told, testScreen(look)));
    }),
    { numRuns: isFull ? 200 : 70 },
  );
});

test("no plan draws a line wider than the screen", () => {
  const word = fc.constantFrom("hot", "create", "reboot", "roll", "replace", "remove", "data");
  const action = fc.constantFrom("create", "update", "replace", "remove");
  const change = fc.record({
    consequence: word,
    action,
    field: text,
    from: text,
    to: text,
    keeps: text,
    cores: ms,
  });
  const plans = fc.tuple(steps, fc.array(change, { minLength: 6, maxLength: 6 })).map(([list, changes]) =>
    list.map((item, index) => {
      const { consequence, action: verb, field, from, to, keeps, cores } = changes[index] ?? {};
      const fields =
        verb === "update" ? { from: { [field ?? ""]: from ?? "" }, to: { [field ?? ""]: to ?? "" } } : {};
      return {
        ...item,
        consequence,
        action: verb,
        keeps,
        facts: { cores, image: to, dataGiB: from },
        ...fields,
      };
    }),
  );
  fc.assert(
    fc.property(plans, screens, fc.boolean(), (list, look, details) => {
      const input = {
        command: "plan",
        file: "slipway.yaml",
        readAgoMs: 900,
        cluster: "homelab",
        details,
        plan: { steps: list as never, same: 1, refused: [] },
      };
      expectNoWiderThan(look.columns, renderPlan(input, testScreen(look)));
    }),
    { numRuns: isFull ? 200 : 70 },
  );
});
