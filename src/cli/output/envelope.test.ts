import { expect, test } from "vitest";
import { CallTrace, Redaction } from "../../lib/index.ts";
import { testScreen } from "../../../test/support/screens/canvas.ts";
import type { Shell } from "../shell.ts";
import { openEnvelope } from "./envelope.ts";
import { outputLine } from "./json-schema.ts";

function opened() {
  const out = testScreen({ isTerminal: false });
  let now = Date.UTC(2026, 6, 14, 9, 31, 2);
  const clock = { now: () => now, sleep: () => Promise.resolve() };
  const nobody = () => Promise.reject(new Error("nobody is asked here"));
  const shell: Shell = {
    ...{ env: {}, out, err: testScreen(), canAsk: false, ask: nobody, askSecret: nobody },
    ...{ calls: new CallTrace(), redaction: new Redaction(), stop: new AbortController().signal },
    ...{ onSecondStop: () => {}, disclose: (text: string) => out.write(text) },
  };
  const { shell: within, end } = openEnvelope(shell, clock as never);
  return {
    ...{ within, end },
    pass: (ms: number) => void (now += ms),
    tell: (body: object) => within.out.write(`${JSON.stringify({ v: 1, ...body })}\n`),
    text: () => out.text,
    lines: () =>
      out.text
        .trimEnd()
        .split("\n")
        .map((line) => outputLine.parse(JSON.parse(line))),
  };
}

const warning = { type: "warning", code: "SPEC_X", file: "slipway.yaml", what: "w", next: "n" };
const event = (seq: number, body: object) => ({
  ...{ seq, at: "2026-07-14T09:31:05.000Z", ms: 0, run: "20260714-093105b", ...body },
});
const done = { type: "done", outcome: "unchanged", exitCode: 0, tookMs: 4 };

test("what a command tells is numbered, timed and named, and ends with done", () => {
  const { tell, pass, end, lines } = opened();
  tell({ type: "valid", file: "slipway.yaml", clusters: 1, nodes: 3, hosts: 1 });
  pass(250);
  end(0);
  expect(lines()).toMatchObject([
    { v: 1, seq: 1, at: "2026-07-14T09:31:02.000Z", ms: 0, run: "20260714-093102", type: "valid" },
    { v: 1, seq: 2, ms: 250, run: "20260714-093102", type: "done", outcome: "done", tookMs: 250 },
  ]);
});

test("what stands before a run has the run's name, and its numbers go on", () => {
  const { tell, end, lines } = opened();
  tell(warning);
  tell(event(1, { type: "log", level: "info", text: "first" }));
  tell(event(2, done));
  end(0);
  expect(lines().map(({ seq, run, type }) => [seq, run, type])).toEqual([
    [1, "20260714-093105b", "warning"],
    [2, "20260714-093105b", "log"],
    [3, "20260714-093105b", "done"],
  ]);
});

test("done is the last line, also when a run says it first and more follows", () => {
  const { tell, end, lines } = opened();
  tell(event(1, done));
  tell(event(2, { type: "log", level: "info", text: "late" }));
  end(1);
  expect(lines().map(({ type, seq }) => [seq, type])).toEqual([
    [1, "done"],
    [2, "log"],
    [3, "done"],
  ]);
});

test("a failure is told in the last line, and what is no line of ours is passed on alone", () => {
  const failed = opened();
  failed.end(2, { code: "RUN_X", what: "Cannot", why: "because", next: "do" });
  expect(failed.lines()).toMatchObject([{ type: "done", outcome: "refused", error: { code: "RUN_X" } }]);
  const foreign = opened();
  foreign.within.out.write("<svg/>\n");
  foreign.end(0);
  expect(foreign.text()).toBe("<svg/>\n");
});
