import { line, type Canvas, type Line } from "../text/line.ts";
import {
  clusterCount,
  formatCount,
  formatElapsed,
  isRehearsal,
  type RunState,
  shortStep,
  subjectOfRun,
  type Told,
} from "../../../views/index.ts";
import type { Role } from "../text/style.ts";
import { wrapText } from "../text/width.ts";

/** Nobody may take a rehearsal for the real thing. */
export function bannerLines(state: RunState, canvas: Canvas): Line[] {
  if (!isRehearsal(state)) return [];
  const [head = "", ...rest] = [
    "simulated hosts and nodes, your file, your addresses.",
    "Nothing real is touched: no connection leaves this machine.",
  ].flatMap((text) => wrapText(text, canvas.columns - 12));
  return [line(["reverse", "REHEARSAL"], `   ${head}`), ...rest.map((part) => line(" ".repeat(12), part))];
}

/** What an interrupted run left, and since when. */
export function resumeLines(state: RunState): Line[] {
  const { run, plan } = state;
  if (!run?.resumes || !plan) return [];
  const agoMs = Date.parse(run.at) - Date.parse(run.resumes.at);
  const ago = Number.isFinite(agoMs) && agoMs >= 0 ? ` ${formatElapsed(agoMs)} ago` : "";
  const total = plan.steps.length + plan.same;
  const found = plan.resumed ?? plan.same;
  const text = `found ${formatCount(found, total)} steps done; the last run was cut${ago} at ${formatElapsed(run.resumes.ms)}`;
  return [line(["strong", subjectOfRun(state)], `   ${run.command}   ${text}`)];
}

const logMarks: Record<Told<"log">["level"], [Role, string]> = {
  error: ["bad", "✗"],
  warn: ["warn", "!"],
  info: ["dim", "-"],
  debug: ["dim", "."],
};

export function logLine(event: Told<"log">, state: RunState): Line {
  const subject = event.step === undefined ? event.host : shortStep(event.step, clusterCount(state));
  const words = event.call === undefined ? event.text : `${event.call} ${event.text}`;
  const text = subject === undefined ? words : `   ${words}`;
  return line(
    "  ",
    logMarks[event.level],
    " ",
    ...(subject === undefined ? [] : [["strong", subject] as [Role, string]]),
    text,
  );
}
