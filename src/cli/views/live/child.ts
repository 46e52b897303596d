import {
  actionText,
  currentStep,
  formatDuration,
  formatElapsed,
  progressText,
  queueText,
  skippedText,
  type StepState,
  type SubjectState,
  waitDetails,
  waitText,
} from "../../../views/index.ts";
import { line, type Line } from "../text/line.ts";
import { glyphOf, isNarrow, type LiveContext } from "./context.ts";
import { style } from "../text/style.ts";
import { padEnd, widthOf, wrapText } from "../text/width.ts";

const childIndent = 4;
/** Where details begin, under those of the group. */
const detailColumn = 18;
const mostName = 28;

/** The lines of one subject below its group. */
export function childLines(subject: SubjectState, nameWidth: number, ctx: LiveContext): Line[] {
  const { canvas } = ctx;
  const [role, glyph] = glyphOf(subject.status, style(canvas).glyphs);
  const detail = childDetail(subject, ctx);
  const time = childTime(subject, ctx);
  const edge: Pick<Line, "right"> = time === "" ? {} : { right: ["dim", time] };
  const step = currentStep(subject);
  const opened = step !== undefined && step === ctx.openWait ? openLines(step, nameWidth, ctx) : [];
  const indent = " ".repeat(childIndent);
  if (!isNarrow(canvas)) {
    return [
      {
        left: [indent, [role, glyph], " ", ["strong", padEnd(subject.label, nameWidth)], " ", detail],
        ...edge,
      },
      ...opened,
    ];
  }
  const isQuiet = subject.status === "done" || opened.length > 0 || detail === "";
  const below = isQuiet ? [] : [line(" ".repeat(childIndent + 2), detail)];
  return [{ left: [indent, [role, glyph], " ", ["strong", subject.label]], ...edge }, ...below, ...opened];
}

/** Names are padded to the longest, within reason, so that details stand in one column. */
export function nameWidthOf(subjects: readonly SubjectState[]): number {
  const longest = Math.max(0, ...subjects.map((subject) => widthOf(subject.label)));
  return Math.max(detailColumn - childIndent - 3, Math.min(mostName, longest));
}

export function childDetail(subject: SubjectState, ctx: LiveContext): string {
  if (subject.status === "done") return doneText(subject);
  const step = currentStep(subject);
  if (!step) return "";
  return stepDetail(step, ctx);
}

/** What a step is doing, waiting for, or ended with. */
export function stepDetail(step: StepState, ctx: LiveContext): string {
  switch (step.status) {
    case "failed":
      return step.error?.why ?? "failed";
    case "skipped":
      return `skipped: ${skippedText(step.subject, ctx.state)}`;
    case "waiting":
      return [
        ...(step.progress ? progressText(step.progress) : []),
        step.wait ? waitText(step.wait) : "",
      ].join("   ");
    case "queued":
      return step.queue ? queueText(step.queue, (id) => ctx.state.steps.get(id)?.subject.label ?? id) : "";
    case "running":
      if (step.progress) return progressText(step.progress).join("   ");
      if (step.retry) return `try ${step.retry.attempt}: ${step.retry.because}`;
      return actionText(step);
    case "pending":
    case "done":
      return "";
  }
}

/** Facts worth a glance once a subject is finished. */
function doneText(subject: SubjectState): string {
  const out = Object.assign({}, ...subject.steps.map((step) => step.out)) as Record<string, string | number>;
  const { detail, address, vmid, endpoint } = out;
  if (detail !== undefined) return String(detail);
  const facts = [address, endpoint, vmid === undefined ? undefined : `VMID ${vmid}`];
  return facts.filter((fact) => fact !== undefined).join(", ");
}

function childTime(subject: SubjectState, ctx: LiveContext): string {
  const step = currentStep(subject);
  if (subject.status === "done" || subject.status === "failed") {
    const tookMs = (subject.endedMs ?? ctx.nowMs) - (subject.startedMs ?? subject.endedMs ?? ctx.nowMs);
    return formatDuration(tookMs);
  }
  if (step?.status === "waiting" && step.wait) return formatElapsed(ctx.nowMs - step.wait.beganMs);
  if (step?.status === "running" && !step.progress && step.startedMs !== undefined) {
    return formatElapsed(ctx.nowMs - step.startedMs);
  }
  return "";
}

function openLines(step: StepState, nameWidth: number, ctx: LiveContext): Line[] {
  const { canvas, nowMs } = ctx;
  if (!step.wait) return [];
  if (isNarrow(canvas)) return narrowOpenLines(step, ctx);
  const indent = childIndent + 3 + nameWidth;
  return waitDetails(step.wait, nowMs).flatMap(({ label, text }) =>
    wrapText(text, canvas.columns - indent - 7)
      .slice(0, 2)
      .map((part, index) => line(" ".repeat(indent), ["dim", padEnd(index === 0 ? label : "", 7)], part)),
  );
}

function narrowOpenLines(step: StepState, { nowMs }: LiveContext): Line[] {
  const { wait } = step;
  if (!wait) return [];
  const indent = " ".repeat(childIndent + 2);
  const subject = wait.what.replace(/ to answer$/, "");
  const head = wait.lastSeen === undefined ? waitText(wait) : `${subject}: ${wait.lastSeen}`;
  const rest = waitDetails(wait, nowMs).filter(({ label }) => label !== "seen");
  const texts = rest.map(({ label, text }) => (label === "until" ? `until ${text}` : text));
  return [head, ...texts].map((text) => line(indent, text));
}
