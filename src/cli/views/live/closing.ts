import {
  backupsOfRun,
  errorsOf,
  formatCount,
  formatDuration,
  formatElapsed,
  formatNumber,
  hostOfRun,
  isRehearsal,
  outputOf,
  resultText,
  type RunState,
  subjectOfRun,
  type Told,
} from "../../../views/index.ts";
import {
  blank,
  drawLines,
  hint,
  line,
  safeText,
  wholeLine,
  type Canvas,
  type Line,
  type Span,
} from "../text/line.ts";
import { isNarrow } from "./context.ts";
import { errorLines } from "../problem/render-error.ts";
import { style } from "../text/style.ts";
import { padEnd, widthOf, wrapWhole } from "../text/width.ts";

export interface ClosingFacts {
  /** Milliseconds on the wall, for a rehearsal whose clock runs faster. */
  hereMs: number;
  /** Whether a command exists, so that nothing is proposed that cannot be typed. */
  offers(command: string): boolean;
}

/** The last lines of a run: the answer, then what to do next. */
export function closingLines(
  state: RunState,
  done: Told<"done">,
  facts: ClosingFacts,
  canvas: Canvas,
): Line[] {
  switch (done.outcome) {
    case "done":
      return isRehearsal(state)
        ? rehearsedLines(state, done, facts, canvas)
        : doneLines(state, done, facts, canvas);
    case "unchanged":
      return [unchangedLine(state, done, canvas)];
    case "stopped":
      return [stoppedLine(state, done, canvas), ...safeLines(facts, canvas, state)];
    case "waiting":
      return waitingLines(state, done, canvas);
    case "failed":
    case "refused":
      return [];
  }
}

/** The answer is never cut: what does not fit beside the time goes below. */
function resultLines(text: string, tookMs: number, canvas: Canvas): Line[] {
  const took = formatDuration(tookMs);
  const [first = "", ...rest] = wrapWhole(safeText(text, canvas), canvas.columns - 3 - widthOf(took));
  return [
    { left: [["ok", style(canvas).glyphs.done], " ", ["strong", first]], right: ["strong", took] },
    ...rest.map((part) => wholeLine("  ", ["strong", part])),
  ];
}

function doneLines(state: RunState, done: Told<"done">, facts: ClosingFacts, canvas: Canvas): Line[] {
  const { offers } = facts;
  const result = resultText(state, done);
  if (state.run?.command === "down") {
    const kept = done.kept === "" ? "" : `, kept: ${done.kept}`;
    return resultLines(`${result}: ${done.counts.done} removed${kept}`, done.tookMs, canvas);
  }
  if (hostOfRun(state) !== undefined) return movedLines(state, done, canvas);
  const nodes = outputOf(state, "nodes");
  const endpoint = outputOf(state, "endpoint");
  const details = [
    nodes === undefined ? "" : `${nodes} nodes Ready`,
    endpoint === undefined ? "" : `API ${endpoint}`,
  ].filter((detail) => detail !== "");
  const tail = outputOf(state, "until") === undefined && details.length > 0 ? `: ${details.join(", ")}` : "";
  return [
    ...resultLines(`${result}${tail}`, done.tookMs, canvas),
    ...backupsOfRun(state).flatMap(([node, archive]) =>
      hint("kept", `${node} as it was: ${archive}`, canvas),
    ),
    ...useLines(state, canvas),
    ...lookLines(offers("ui"), canvas),
  ];
}

function lookLines(hasDashboard: boolean, canvas: Canvas): Line[] {
  const again = "again any time: slipway status";
  if (!hasDashboard) return hint("look", "slipway status", canvas);
  if (isNarrow(canvas)) return [...hint("look", "slipway ui", canvas), ...hint("", again, canvas)];
  return hint("look", `${padEnd("slipway ui", 18)}${again}`, canvas);
}

/** What is on the host still, and how its machines come back. */
function movedLines(state: RunState, done: Told<"done">, canvas: Canvas): Line[] {
  const host = hostOfRun(state) ?? "";
  const stays = outputOf(state, "stays");
  const isAway = state.run?.command.startsWith("evacuate ");
  return [
    ...resultLines(resultText(state, done), done.tookMs, canvas),
    ...(stays === undefined ? [] : hint("stays", stays, canvas)),
    ...(isAway ? hint("back", `slipway return ${host}`, canvas) : []),
  ];
}

function useLines(state: RunState, canvas: Canvas): Line[] {
  const kubeconfig = outputOf(state, "kubeconfig");
  if (kubeconfig === undefined || outputOf(state, "until") === "machines") return [];
  const [use, then] = [`export KUBECONFIG=${kubeconfig}`, "kubectl get nodes"];
  if (widthOf(use) + 5 + then.length <= canvas.columns - 8) return hint("use", `${use}     ${then}`, canvas);
  return [wholeLine("  ", ["strong", padEnd("use", 6)], use), wholeLine(" ".repeat(8), then)];
}

function rehearsedLines(state: RunState, done: Told<"done">, facts: ClosingFacts, canvas: Canvas): Line[] {
  const steps = formatNumber(done.counts.done, "step");
  const times = facts.hereMs > 0 ? done.tookMs / facts.hereMs : 1;
  const faster = times >= 1.5 ? `, ${Math.round(times)}x faster` : "";
  const also = outputOf(state, "also");
  const text = ` ${subjectOfRun(state)}: ${steps}, ${formatDuration(done.tookMs)} expected`;
  const here = ` (${formatDuration(facts.hereMs)} here${faster})`;
  const head: Span[] = [["ok", style(canvas).glyphs.done], " ", ["risk", "REHEARSED"], ["strong", text]];
  const isTooWide = widthOf(`${text}${here}`) + 11 > canvas.columns;
  return [
    ...(isTooWide ? [line(...head), line(" ", here)] : [line(...head, here)]),
    ...(also === undefined ? [] : hint("also", also, canvas)),
    ...hint("real", "nothing. To do it for real: slipway up", canvas),
  ];
}

function unchangedLine(state: RunState, done: Told<"done">, canvas: Canvas): Line {
  if (state.run?.command === "down") return nothingLeftLine(state, done, canvas);
  const host = hostOfRun(state);
  if (host !== undefined)
    return {
      left: [["ok", style(canvas).glyphs.done], " ", ["strong", host], "   nothing to move"],
      right: ["dim", formatDuration(done.tookMs)],
    };
  const same = state.plan?.same ?? done.counts.total;
  const file = state.run?.file ?? "the file";
  const text = `   no changes: ${formatNumber(same, "resource")} ${same === 1 ? "is" : "are"} as ${file} says`;
  return {
    left: [["ok", style(canvas).glyphs.done], " ", ["strong", subjectOfRun(state)], text],
    right: ["dim", formatDuration(done.tookMs)],
  };
}

function nothingLeftLine(state: RunState, done: Told<"done">, canvas: Canvas): Line {
  const kept = done.kept === "" ? "" : `; kept: ${done.kept}`;
  return {
    left: [
      ["ok", style(canvas).glyphs.done],
      " ",
      ["strong", subjectOfRun(state)],
      `   nothing to remove${kept}`,
    ],
    right: ["dim", formatDuration(done.tookMs)],
  };
}

function stoppedLine(state: RunState, done: Told<"done">, canvas: Canvas): Line {
  const { counts, tookMs } = done;
  const text = `${subjectOfRun(state)} stopped at ${formatCount(counts.done, counts.total)} steps`;
  return {
    left: [["warn", style(canvas).glyphs.skipped], " ", ["strong", text]],
    right: ["dim", formatElapsed(tookMs)],
  };
}

function waitingLines(state: RunState, done: Told<"done">, canvas: Canvas): Line[] {
  return [
    {
      left: [["warn", style(canvas).glyphs.skipped], " ", ["strong", resultText(state, done)]],
      right: ["dim", formatElapsed(done.tookMs)],
    },
    ...(done.error ? [...hint("why", done.error.why, canvas), ...hint("next", done.error.next, canvas)] : []),
  ];
}

/** Of a run that was cut: what is known of it by then. */
interface CutRun {
  run?: Pick<Told<"run">, "command" | "again">;
  plan?: Pick<Told<"plan">, "again">;
}

/** What holds after an interruption. */
function safeLines({ offers }: Pick<ClosingFacts, "offers">, canvas: Canvas, state: CutRun = {}): Line[] {
  const again = state.plan?.again ?? state.run?.again;
  if (again === undefined) {
    const gap = isNarrow(canvas) ? 14 : 20;
    const choice = (label: string, command: string, effect: string): Line =>
      line("  ", ["strong", padEnd(label, 6)], padEnd(command, gap), effect);
    return [
      ...hint("safe", marked, canvas),
      choice("next", "slipway up", "goes on from here"),
      ...(offers("down") ? [choice("", "slipway down", "takes it away")] : []),
    ];
  }
  const safe = hostOfRun(state) !== undefined ? arriving : marked;
  return [...hint("safe", safe, canvas), ...hint("next", again, canvas)];
}

const marked = "Nothing is half-recorded; what exists carries its owner tag";
const arriving = "A machine that is on its way arrives without us; the others run where they were";

/** What the second Ctrl-C prints before the program leaves at once. */
export const renderLeftNow = (
  canvas: Canvas,
  offers: (command: string) => boolean = () => true,
  state?: CutRun,
): string => drawLines(safeLines({ offers }, canvas, state), canvas);

/** The blocks that end a failed run; they go to the error stream. */
export function failureLines(
  state: RunState,
  done: Told<"done">,
  facts: ClosingFacts,
  canvas: Canvas,
): Line[] {
  if (done.outcome !== "failed" && done.outcome !== "refused") return [];
  const errors = errorsOf(state);
  const isRun = done.outcome === "failed" && state.run !== undefined && !isRehearsal(state);
  const extras = {
    kept: done.kept === "" ? undefined : done.kept,
    more: isRun ? moreText(state, facts, canvas) : undefined,
  };
  const mark: Span = ["bad", style(canvas).glyphs.failed];
  if (errors.length === 0) return [blank, line(mark, " ", ["strong", resultText(state, done)])];
  // Only the last block says what was kept: it is true of all of them.
  return errors.flatMap((error, index) => [
    blank,
    ...errorLines(error, index === errors.length - 1 ? extras : {}, canvas),
  ]);
}

function moreText(state: RunState, { offers }: ClosingFacts, canvas: Canvas): string {
  const log = offers("ui") ? "log: slipway ui, or --log-level debug" : "log: --log-level debug";
  if (!offers("doctor")) return log;
  const doctor = `slipway doctor ${state.run?.clusters[0] ?? ""}`;
  return isNarrow(canvas) ? `${doctor}; ${log}` : `${padEnd(doctor, 29)}${log}`;
}
