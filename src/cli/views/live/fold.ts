import {
  currentStep,
  formatElapsed,
  type GroupState,
  listNames,
  type StepStatus,
  type SubjectState,
} from "../../../views/index.ts";
import { line, type Line, type Span } from "../text/line.ts";
import { glyphOf, isNarrow, type LiveContext } from "./context.ts";
import { childDetail } from "./child.ts";
import { style, type Role } from "../text/style.ts";
import { padEnd, widthOf } from "../text/width.ts";

const mostProblems = 5;
const mostWaits = 5;
/** A host with more nodes than this is counted, not drawn. */
const longestStrip = 20;
const tallied: StepStatus[] = ["done", "running", "waiting", "queued", "failed", "skipped"];

/** `✓ 171   ▸ 23   ◌ 2   ◦ 103   ✗ 1`. */
export function tallySpans(counts: Record<StepStatus, number>, ctx: LiveContext): Span[] {
  const { glyphs } = style(ctx.canvas);
  const spans: Span[] = [];
  for (const status of tallied) {
    const count = status === "queued" ? counts.queued + counts.pending : counts[status];
    if (count === 0) continue;
    const [role, glyph] = glyphOf(status, glyphs);
    if (spans.length > 0) spans.push("   ");
    spans.push([role, glyph], ` ${count}`);
  }
  return spans;
}

/** Problems first, then the longest waits, then strips by host while there is room, then a count. */
export function foldedLines(group: GroupState, room: number, ctx: LiveContext): Line[] {
  const failed = group.subjects.filter((subject) => subject.status === "failed").slice(0, mostProblems);
  const waiting = group.subjects
    .filter((subject) => subject.status === "waiting")
    .toSorted((a, b) => waitBegan(a) - waitBegan(b))
    .slice(0, mostWaits);
  const named = [...failed, ...waiting];
  const nameWidth = Math.max(0, ...named.map((subject) => widthOf(subject.label)));
  const hostWidth = Math.max(0, ...named.map((subject) => widthOf(subject.host ?? "")));
  const lines = named.slice(0, room).map((subject) => namedLine(subject, nameWidth, hostWidth, ctx));
  return [...lines, ...stripLines(group, room - lines.length, ctx)];
}

const waitBegan = (subject: SubjectState): number => currentStep(subject)?.wait?.beganMs ?? 0;

function namedLine(subject: SubjectState, nameWidth: number, hostWidth: number, ctx: LiveContext): Line {
  const [role, glyph] = glyphOf(subject.status, style(ctx.canvas).glyphs);
  const wait = currentStep(subject)?.wait;
  const host = hostWidth === 0 || isNarrow(ctx.canvas) ? "" : `${padEnd(subject.host ?? "", hostWidth)}  `;
  const detail =
    wait && subject.status === "waiting" ? (wait.lastSeen ?? wait.what) : childDetail(subject, ctx);
  const left: Span[] = [
    "    ",
    [role, glyph],
    " ",
    ["strong", padEnd(subject.label, nameWidth)],
    "  ",
    host,
    detail,
  ];
  if (subject.status !== "waiting" || !wait) return { left };
  const age = `${formatElapsed(ctx.nowMs - wait.beganMs)} of ${formatElapsed(wait.deadlineMs)}`;
  return { left, right: ["dim", age] };
}

function stripLines(group: GroupState, room: number, ctx: LiveContext): Line[] {
  if (room <= 0) return [];
  const hosts = unfinishedHosts(group);
  if (hosts.length === 0) return runningLine(group, ctx);
  const { glyphs } = style(ctx.canvas);
  const width = ctx.canvas.columns - 6;
  const moreWidth = widthOf(`   ${hosts.length} more`);
  const lines: Line[] = [];
  let next = 0;
  while (next < hosts.length && lines.length < room) {
    const spans: Span[] = [];
    let used = 0;
    const reserved = lines.length === room - 1 ? moreWidth : 0;
    while (next < hosts.length) {
      const [host, subjects] = hosts[next] ?? ["", []];
      const strip = hostStrip(host, subjects, ctx);
      const cells = strip.width + (used > 0 ? 3 : 0);
      const isLast = next === hosts.length - 1;
      if (used > 0 && used + cells + (isLast ? 0 : reserved) > width) break;
      if (used > 0) spans.push("   ");
      spans.push(...strip.spans);
      used += cells;
      next++;
    }
    if (lines.length === room - 1 && next < hosts.length)
      spans.push(["dim", `   ${hosts.length - next} more`]);
    lines.push(line("    ", glyphOf("running", glyphs), " ", ...spans));
  }
  return lines;
}

/** Hosts with something left to do, those at work first. */
function unfinishedHosts(group: GroupState): [string, SubjectState[]][] {
  const byHost = new Map<string, SubjectState[]>();
  for (const subject of group.subjects) {
    if (subject.host === undefined) continue;
    const known = byHost.get(subject.host);
    if (known) known.push(subject);
    else byHost.set(subject.host, [subject]);
  }
  const isBusy = (subjects: SubjectState[]) =>
    subjects.some(({ status }) => status === "running" || status === "waiting") ? 0 : 1;
  return [...byHost]
    .filter(([, subjects]) => subjects.some(({ status }) => status !== "done"))
    .toSorted(([, a], [, b]) => isBusy(a) - isBusy(b));
}

function hostStrip(
  host: string,
  subjects: SubjectState[],
  ctx: LiveContext,
): { spans: Span[]; width: number } {
  const { glyphs } = style(ctx.canvas);
  if (subjects.length > longestStrip) {
    const done = subjects.filter((subject) => subject.status === "done").length;
    const text = `${done} of ${subjects.length}`;
    return { spans: [["strong", host], " ", text], width: widthOf(host) + 1 + text.length };
  }
  const marks: [Role, string][] = [];
  for (const { status } of subjects) {
    const [role, glyph] = glyphOf(status, glyphs);
    const last = marks.at(-1);
    if (last?.[0] === role && last[1].endsWith(glyph)) last[1] += glyph;
    else marks.push([role, glyph]);
  }
  return { spans: [["strong", host], " ", ...marks], width: widthOf(host) + 1 + subjects.length };
}

function runningLine(group: GroupState, ctx: LiveContext): Line[] {
  const running = group.subjects.filter((subject) => subject.status === "running");
  if (running.length === 0) return [];
  const glyph = glyphOf("running", style(ctx.canvas).glyphs);
  return [
    line(
      "    ",
      glyph,
      " ",
      listNames(
        running.map((subject) => subject.label),
        5,
      ),
    ),
  ];
}
