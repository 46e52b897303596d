import {
  type CheckSummary,
  formatDuration,
  type GroupState,
  groupTitles,
  listNames,
  resultOfGroup,
  type RunState,
  skippedText,
} from "../../../views/index.ts";
import type { Canvas, Line, Span } from "../text/line.ts";
import { isNarrow } from "./context.ts";
import { style, type Role } from "../text/style.ts";
import { padEnd, widthOf } from "../text/width.ts";

const titleWidth = 15;
/** More skipped things than this are one line. */
const mostSkipped = 3;

/** What a group leaves on the screen when nothing in it is left to do. */
export function groupResultLines(group: GroupState, state: RunState, canvas: Canvas): Line[] {
  const { failed, done } = group.counts;
  const { glyphs } = style(canvas);
  const tookMs = (group.endedMs ?? 0) - (group.startedMs ?? group.endedMs ?? 0);
  const title = groupTitles[group.key];
  const lines: Line[] = [];
  if (failed > 0)
    lines.push(
      resultLine(["bad", glyphs.failed], title, resultOfGroup(group), formatDuration(tookMs), canvas),
    );
  else if (done > 0)
    lines.push(resultLine(["ok", glyphs.done], title, doneOnly(group), formatDuration(tookMs), canvas));
  return [...lines, ...skippedLines(group, state, canvas)];
}

/** With some skipped, only what is done is named on the line that says done. */
function doneOnly(group: GroupState): string {
  if (group.counts.skipped === 0) return resultOfGroup(group);
  return listNames(
    group.subjects.filter((subject) => subject.status === "done").map((subject) => subject.label),
  );
}

function skippedLines(group: GroupState, state: RunState, canvas: Canvas): Line[] {
  const skipped = group.subjects.filter((subject) => subject.status === "skipped");
  const mark: Span = ["dim", style(canvas).glyphs.skipped];
  const [first] = skipped;
  if (!first) return [];
  if (skipped.length > mostSkipped) {
    const names = listNames(skipped.map((subject) => subject.label));
    const text = `${names} skipped: ${skippedText(first, state)}`;
    return [resultLine(mark, groupTitles[group.key], text, "", canvas)];
  }
  return skipped.map((subject) =>
    resultLine(mark, subject.label, `skipped: ${skippedText(subject, state)}`, "", canvas),
  );
}

const checkMarks: Record<CheckSummary["status"], [Role, "done" | "warning" | "failed"]> = {
  ok: ["ok", "done"],
  warned: ["warn", "warning"],
  failed: ["bad", "failed"],
};

export function checkResultLine(summary: CheckSummary, isRehearsed: boolean, canvas: Canvas): Line {
  const [role, glyph] = checkMarks[summary.status];
  const time = isRehearsed ? "rehearsed" : formatDuration(summary.tookMs);
  return resultLine([role, style(canvas).glyphs[glyph]], summary.title, summary.text, time, canvas);
}

function resultLine(mark: Span, title: string, text: string, time: string, canvas: Canvas): Line {
  const name: Span = [
    "strong",
    isNarrow(canvas) ? `${title} ` : padEnd(title, Math.max(titleWidth, widthOf(title))),
  ];
  return {
    left: [mark, " ", name, isNarrow(canvas) ? "" : " ", text],
    right: time === "" ? undefined : ["dim", time],
  };
}
