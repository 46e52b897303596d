import {
  currentStep,
  formatElapsed,
  type GroupState,
  groupTitles,
  listNames,
  pendingText,
  type StepStatus,
} from "../../../views/index.ts";
import { line, type Line, type Span } from "../text/line.ts";
import { childDetail, childLines, nameWidthOf } from "./child.ts";
import { glyphOf, isNarrow, type LiveContext } from "./context.ts";
import { foldedLines, tallySpans } from "./fold.ts";
import { style } from "../text/style.ts";
import { padEnd } from "../text/width.ts";

/** Larger groups are folded even when the terminal is tall. */
const mostChildren = 12;
const titleWidth = 15;

export const isFolded = (group: GroupState): boolean => group.subjects.length > mostChildren;

export const hasBegun = (group: GroupState): boolean =>
  group.counts.pending < group.subjects.length || group.startedMs !== undefined;

/** The line of a group that is not finished. */
export function groupLine(group: GroupState, ctx: LiveContext): Line {
  const { canvas, nowMs, state } = ctx;
  const { glyphs } = style(canvas);
  const title = groupTitles[group.key];
  if (!hasBegun(group)) {
    const words = pendingText(group, state);
    const name = isNarrow(canvas) ? `${title}: ` : `${padEnd(title, titleWidth)} `;
    return line(glyphOf("pending", glyphs), " ", name, ["dim", words]);
  }
  const mark = glyphOf(statusOf(group), glyphs);
  const time: Pick<Line, "right"> =
    group.startedMs === undefined ? {} : { right: ["dim", formatElapsed(nowMs - group.startedMs)] };
  const { done } = group.counts;
  const total = group.subjects.length;
  if (isNarrow(canvas)) return { left: [mark, " ", ["strong", title], ` ${done}/${total}`], ...time };
  const name: Span = ["strong", padEnd(title, titleWidth)];
  const only = isOneLine(group) ? group.subjects.find((subject) => currentStep(subject)) : undefined;
  if (only) return { left: [mark, " ", name, " ", childDetail(only, ctx)], ...time };
  const count = `${done} of ${total}`;
  if (isFolded(group)) {
    return { left: [mark, " ", name, " ", padEnd(count, 15), ...tallySpans(group.counts, ctx)] };
  }
  return { left: [mark, " ", name, " ", count], ...time };
}

/** What is written at home takes no time worth a tree. */
const isOneLine = (group: GroupState): boolean => group.key === "secrets" && group.counts.failed === 0;

function statusOf(group: GroupState): StepStatus {
  if (group.counts.failed > 0) return "failed";
  return "running";
}

/** The lines below it: what happened, what goes on, and what comes, as far as there is room. */
export function groupChildren(group: GroupState, room: number, ctx: LiveContext): Line[] {
  if (!hasBegun(group) || isOneLine(group) || room <= 0) return [];
  if (isFolded(group)) return foldedLines(group, room, ctx);
  const begun = group.subjects.filter((subject) => subject.status !== "pending");
  const coming = group.subjects.filter((subject) => subject.status === "pending");
  const nameWidth = nameWidthOf(begun);
  const lines = begun.flatMap((subject) => childLines(subject, nameWidth, ctx));
  if (coming.length > 0) {
    const names = listNames(
      coming.map((subject) => subject.label),
      4,
    );
    lines.push(line("    ", glyphOf("pending", style(ctx.canvas).glyphs), " ", ["dim", names]));
  }
  return lines.length <= room ? lines : foldedLines(group, room, ctx);
}
