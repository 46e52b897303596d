import { line, safeText, type Canvas, type Line, type Span } from "../text/line.ts";
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
import { widthOf, wrapText } from "../text/width.ts";

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

const noteIndent = 4;

/** A warning is shown in full: it scrolls away, and a fingerprint that is half shown cannot be compared. */
export function logLines(event: Told<"log">, state: RunState, canvas: Canvas): Line[] {
  const subject = event.step === undefined ? event.host : shortStep(event.step, clusterCount(state));
  const words = event.call === undefined ? event.text : `${event.call} ${event.text}`;
  const mark: Span[] = ["  ", logMarks[event.level], " "];
  const named: Span[] = subject === undefined ? [] : [["strong", subject], "   "];
  const lead = subject === undefined ? 0 : widthOf(subject) + 3;
  const room = canvas.columns - noteIndent;
  const text = safeText(words, canvas);
  const isShort = event.level === "info" || event.level === "debug" || lead + widthOf(text) <= room;
  if (isShort) return [line(...mark, ...named, words)];
  const beside = wrapText(text, room - lead)[0] ?? "";
  // A first word that is too long to stand beside the name goes below it, in one piece.
  const first = text === beside || text.startsWith(`${beside} `) ? beside : "";
  const below = wrapText(text.slice(first.length).trimStart(), room);
  return [line(...mark, ...named, first), ...below.map((part) => line(" ".repeat(noteIndent), part))];
}
