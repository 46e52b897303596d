import { line, type Canvas, type Line, type Span } from "../text/line.ts";
import {
  formatDuration,
  formatElapsed,
  type RunState,
  subjectOfRun,
  type Told,
} from "../../../views/index.ts";
import { style } from "../text/style.ts";
import { cutMiddle, padEnd, widthOf } from "../text/width.ts";
import { timelineLanes, type Lane } from "./lanes.ts";

const timeWidth = 8;
const leastLabel = 14;
const mostLabel = 24;
/** A wide chart has room for long names. */
const labelShare = 0.3;

/** The chart of a finished run: what the time went into, and which of it nothing could have saved. */
export function timelineLines(state: RunState, done: Told<"done">, canvas: Canvas): Line[] {
  const { tookMs } = done;
  // The chart says nothing where it has no room or nothing to compare.
  if (canvas.columns < 60 || tookMs <= 0) return [];
  const lanes = timelineLanes(state, tookMs);
  if (lanes.length < 2) return [];
  const most = Math.max(mostLabel, Math.floor(canvas.columns * labelShare));
  const labelWidth = Math.min(most, Math.max(leastLabel, ...lanes.map((lane) => widthOf(lane.label))));
  const from = labelWidth + 3;
  const cells = canvas.columns - from - timeWidth;
  return [
    ...headLines(subjectOfRun(state), from, axisText(tookMs, cells)),
    ...lanes.map((lane) => laneLine(lane, labelWidth, cells, tookMs, canvas)),
    ...legendLines(done, canvas),
  ];
}

const tickSteps = [
  0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400,
];
const cellsPerTick = 11;

/** A name that is wider than the labels has a line of its own, so that the axis stands over the bars. */
function headLines(name: string, from: number, axis: string): Line[] {
  if (widthOf(name) < from) return [line(["strong", padEnd(name, from - 1)], " ", ["dim", axis])];
  return [line(["strong", name]), line(" ".repeat(from), ["dim", axis])];
}

function axisText(tookMs: number, cells: number): string {
  const seconds = tickSteps.find((step) => (step * 1000 * cells) / tookMs >= cellsPerTick) ?? 604_800;
  let axis = "";
  for (let at = 0; at * 1000 <= tookMs; at += seconds) {
    const column = Math.floor((at * 1000 * cells) / tookMs);
    const label = at === 0 ? "0s" : formatDuration(Math.round(at * 10) * 100);
    // A label that would be cut says nothing.
    if (column + label.length > cells + timeWidth) break;
    axis = `${padEnd(axis, column)}${label}`;
  }
  return axis;
}

function laneLine(lane: Lane, labelWidth: number, cells: number, tookMs: number, canvas: Canvas): Line {
  const { glyphs } = style(canvas);
  const marks = Array.from<" " | "critical" | "rest">({ length: cells }).fill(" ");
  for (const isCritical of [false, true]) {
    for (const segment of lane.segments.filter((part) => part.isCritical === isCritical)) {
      const first = Math.min(cells - 1, Math.floor((segment.startMs * cells) / tookMs));
      const end = Math.max(first + 1, Math.round((segment.endMs * cells) / tookMs));
      marks.fill(isCritical ? "critical" : "rest", Math.max(0, first), Math.min(cells, end));
    }
  }
  const spans: Span[] = [];
  for (let index = 0; index < marks.length;) {
    const mark = marks[index];
    let end = index;
    while (end < marks.length && marks[end] === mark) end++;
    const length = end - index;
    if (mark === "critical") spans.push(["run", glyphs.critical.repeat(length)]);
    else if (mark === "rest") spans.push(["dim", glyphs.rest.repeat(length)]);
    else spans.push(" ".repeat(length));
    index = end;
  }
  return {
    left: ["  ", padEnd(cutMiddle(lane.label, labelWidth, glyphs.cut), labelWidth), " ", ...spans],
    right: ["dim", formatElapsed(lane.tookMs)],
  };
}

function legendLines(done: Told<"done">, canvas: Canvas): Line[] {
  const { glyphs } = style(canvas);
  const { tookMs, floorMs, ownMs } = done;
  const percent = tookMs > 0 ? Math.round((ownMs / tookMs) * 100) : 0;
  const path = `critical path ${formatDuration(tookMs)}`;
  const shares = `: hosts and nodes ${formatDuration(floorMs)}, Slipway ${formatDuration(ownMs)} (${percent}%)`;
  const rest = `   ${glyphs.rest} the rest`;
  const text = ` ${path}${floorMs > 0 ? shares : ""}`;
  const fits = 3 + widthOf(text) + widthOf(rest) <= canvas.columns;
  return [line("  ", ["run", glyphs.critical], text, ["dim", fits ? rest : ""])];
}
