import { expect, test } from "vitest";
import { Redaction } from "../../lib/index.ts";
import type { EventBody, RunEvent } from "../../plan/index.ts";
import { testScreen } from "../../../test/support/screens/canvas.ts";
import { openEnvelope } from "./envelope.ts";
import { outputLine } from "./lines/output-line.ts";

function opened() {
  const [out, err] = [testScreen({ isTerminal: false }), testScreen({ isTerminal: false })];
  let now = Date.UTC(2026, 6, 14, 9, 31, 2);
  const clock = { now: () => now, sleep: () => Promise.resolve() };
  const redaction = new Redaction();
  const shell = { out, redaction, disclose: (text: string) => out.write(text) };
  return {
    ...{ err, redaction, ...openEnvelope(shell, clock as never) },
    pass: (ms: number) => void (now += ms),
    text: () => out.text,
    told: (screen = out) =>
      screen.text
        .trimEnd()
        .split("\n")
        .map((line) => outputLine.parse(JSON.parse(line))),
  };
}

const warning = { type: "warning", code: "SPEC_X", file: "slipway.yaml", what: "w", next: "n" } as const;
const event = (seq: number, body: EventBody): RunEvent => ({
  ...{ v: 1, seq, at: "2026-07-14T09:31:05.000Z", ms: 0, run: "20260714-093105b", ...body },
});
const log = (text: string): EventBody => ({ type: "log", level: "info", text });
const done: EventBody = {
  ...{ type: "done", outcome: "unchanged", exitCode: 0, tookMs: 4, floorMs: 0, ownMs: 0, kept: "" },
  ...{ criticalPath: [], outputs: {}, counts: { done: 0, failed: 0, skipped: 0, total: 0 } },
};

test("what a command tells is numbered, timed and named, and ends with done", () => {
  const { lines, pass, end, told } = opened();
  lines.tell({ type: "valid", file: "slipway.yaml", clusters: 1, nodes: 3, hosts: 1 });
  pass(250);
  end(0);
  expect(told()).toMatchObject([
    { v: 1, seq: 1, at: "2026-07-14T09:31:02.000Z", ms: 0, run: "20260714-093102", type: "valid" },
    { v: 1, seq: 2, ms: 250, run: "20260714-093102", type: "done", outcome: "done", tookMs: 250 },
  ]);
});

test("what stands before a run has the run's name, and its numbers go on", () => {
  const { lines, end, told } = opened();
  lines.tell(warning);
  lines.tell(event(1, log("first")));
  lines.tell(event(2, done));
  end(0);
  expect(told().map(({ seq, run, type }) => [seq, run, type])).toEqual([
    [1, "20260714-093105b", "warning"],
    [2, "20260714-093105b", "log"],
    [3, "20260714-093105b", "done"],
  ]);
});

test("done is the last line, also when a run says it first and more follows", () => {
  const { lines, end, told } = opened();
  lines.tell(event(1, done), event(2, log("late")));
  end(1);
  lines.tell(warning);
  end(0);
  expect(told().map(({ type, seq }) => [seq, type])).toEqual([
    [1, "done"],
    [2, "log"],
    [3, "done"],
  ]);
});

test("the last line says what the program ends with, also where a run before it thought better of it", () => {
  const { lines, end, told } = opened();
  lines.tell(event(1, done));
  end(1, { code: "RUN_X", what: "Cannot write up.xml", why: "the disk is full", next: "do" });
  expect(told()).toMatchObject([
    { type: "done", exitCode: 0 },
    { type: "done", exitCode: 1, outcome: "failed", error: { code: "RUN_X" } },
  ]);
});

test("a failure is told in the last line, thrown or not", () => {
  const error = { code: "RUN_X", what: "Cannot", why: "because", next: "do" };
  const thrown = opened();
  thrown.end(2, error);
  expect(thrown.told()).toMatchObject([{ type: "done", outcome: "refused", error }]);
  const refused = opened();
  refused.lines.fail(error);
  refused.end(2);
  expect(refused.told()).toMatchObject([{ type: "done", outcome: "refused", error }]);
});

test("secrets are in no line but in those that were asked for", () => {
  const { lines, redaction, text } = opened();
  redaction.register('quoted "secret" of nobody');
  const access = { cluster: "lab", file: "kubeconfig" };
  lines.tell({ type: "found", text: 'quoted "secret" of nobody' });
  expect(text()).toContain('"text":"(secret)"');
  lines.disclose({ type: "kubeconfig", ...access, kubeconfig: 'quoted "secret" of nobody' });
  expect(text()).toContain("of nobody");
});

test("lines go elsewhere where a command needs standard output for something else", () => {
  const { lines, end, err, text, told } = opened();
  lines.moveTo(err);
  lines.tell(event(1, log("first")));
  end(0);
  expect([text(), told(err).map(({ type }) => type)]).toEqual(["", ["log", "done"]]);
});
