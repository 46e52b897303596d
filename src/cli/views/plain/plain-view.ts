import type { RunEvent, StepId } from "../../../plan/index.ts";
import { levelsUpTo } from "../../options.ts";
import {
  clusterCount,
  countText,
  errorsOf,
  formatElapsed,
  formatNumber,
  formatSeconds,
  newRunState,
  progressText,
  resultText,
  shortStep,
  stepCountText,
  type StepState,
  summarizeChecks,
  takeEvent,
  type Told,
  worldText,
} from "../../../views/index.ts";
import { renderLeftNow } from "../live/closing.ts";
import { renderError } from "../problem/render-error.ts";
import { drawLines, safeText } from "../text/line.ts";
import { timelineLines } from "../timeline/timeline-lines.ts";
import type { Screen } from "../text/screen.ts";
import { handedOut, type View } from "../view.ts";

export interface PlainViewOptions {
  out: Screen;
  err: Screen;
  /** Which `log` events are shown. */
  logLevel?: Told<"log">["level"];
}

const checkText = { ok: "ok", warned: "warn", failed: "fail", skipped: "skip" } as const;

/** The chart at the end, as every log viewer can show it. */
const chartCanvas = { columns: 80, isUnicode: false, hasColor: false };

/** One line per event, for pipes, logs and screen readers: seconds since the start, a word, what it is about. */
export const plainView = (options: PlainViewOptions): View => handedOut(new PlainView(options));

class PlainView implements View {
  private readonly out: Screen;
  private readonly err: Screen;
  private readonly levels: readonly string[];
  private readonly state = newRunState();
  private readonly pace = newPace();
  private readonly toldPhases = new Set<string>();

  constructor({ out, err, logLevel = "info" }: PlainViewOptions) {
    this.out = out;
    this.err = err;
    this.levels = levelsUpTo(logLevel);
  }

  tell(event: RunEvent): void {
    const step = takeEvent(this.state, event);
    if (event.type === "plan" || event.type === "done" || event.type === "started") this.endPhases(undefined);
    else if (event.type === "check") this.endPhases(event.phase);
    switch (event.type) {
      case "run":
        return this.tellRun(event);
      case "plan":
        return this.tellPlan(event);
      case "check":
        return this.tellCheck(event);
      case "progress":
        return this.tellProgress(event, step);
      case "waiting":
        return this.tellWait(event);
      case "log":
        return this.tellLog(event);
      case "stopping":
        return this.tellLine(
          event.ms,
          "stop",
          `${event.signal}, ${stepCountText(event.running.length)} to a safe point, at most ${formatElapsed(event.graceMs)}`,
        );
      case "problem":
        return this.tellLine(
          event.ms,
          "fail",
          `${event.file}:${event.line}:${event.column} ${event.code}: ${event.what}`,
          this.err,
        );
      case "done":
        return this.tellDone(event);
      case "queued":
      case "started":
      case "retried":
      case "finished":
      case "failed":
      case "skipped":
        return this.tellStep(event);
      // Readers ignore types they do not know.
      default:
        return;
    }
  }

  say(text: string): void {
    this.out.write(text);
  }

  close(): void {}

  private tellLine(ms: number, word: string, text: string, to: Screen = this.out): void {
    const time = `${(ms / 1000).toFixed(1)}s`.padStart(7);
    to.write(`${time} ${word.padEnd(6)} ${safeText(text, { isUnicode: false })}\n`);
  }

  private nameOf(id: StepId): string {
    return shortStep(id, clusterCount(this.state));
  }

  private endPhases(except: string | undefined): void {
    for (const [phase, tally] of this.state.checks) {
      if (phase === except || this.toldPhases.has(phase)) continue;
      this.toldPhases.add(phase);
      const { status, passed, total, tookMs } = summarizeChecks(phase, tally);
      const count = passed === total ? formatNumber(total, "check") : `${passed} of ${total} checks`;
      const word = status === "failed" ? "fail" : status === "warned" ? "warn" : "ok";
      this.tellLine(tally.endedMs, word, `${phase} ${count}, ${formatSeconds(tookMs)}`);
    }
  }

  private tellRun(event: Told<"run">): void {
    const names = event.clusters.join(", ");
    this.tellLine(event.ms, "run", `${event.command} ${names}, ${worldText(this.state)}, ${event.run}`);
    if (event.resumes)
      this.tellLine(event.ms, "resume", `${event.resumes.run}, cut at ${formatElapsed(event.resumes.ms)}`);
  }

  private tellPlan(event: Told<"plan">): void {
    this.tellLine(event.ms, "plan", planText(event));
    for (const refusal of event.refused)
      this.tellLine(event.ms, "refuse", `${this.nameOf(refusal.step)}: ${refusal.why}`);
  }

  private tellCheck(event: Told<"check">): void {
    // Preflight is told by its exceptions; the checklist at the end is worth reading line by line.
    const isException = event.status === "failed" || event.status === "warned";
    if (!isException && event.phase !== "verify") return;
    const place = event.node ?? event.host;
    const found = event.error?.why ?? event.because ?? event.found;
    this.tellLine(
      event.ms,
      checkText[event.status],
      `${event.phase} ${event.id}${place === undefined ? "" : ` on ${place}`}${found === undefined ? "" : `: ${found}`}`,
    );
  }

  private tellStep(event: StepTold): void {
    const name = this.nameOf(event.step);
    const [word, text] = stepWords(event, (id) => this.nameOf(id));
    this.tellLine(event.ms, word, text === "" ? name : `${name} ${text}`);
  }

  private tellWait(event: Told<"waiting">): void {
    const seen = [event.lastSeen, event.cause].filter((part) => part !== undefined).join("; ");
    if (!this.pace.speaksOf(event.step, event.ms - event.sinceMs, event.ms, seen)) return;
    const since = `${formatElapsed(event.sinceMs)} of ${formatElapsed(event.deadlineMs)}`;
    this.tellLine(
      event.ms,
      "wait",
      `${this.nameOf(event.step)} ${since}: ${seen === "" ? event.what : seen}`,
    );
  }

  private tellProgress(event: Told<"progress">, step: StepState | undefined): void {
    if (!step?.progress || !this.pace.speaksOf(event.step, step.startedMs ?? event.ms, event.ms, "")) return;
    const words = progressText(step.progress).slice(0, 2).join(", ");
    this.tellLine(event.ms, "wait", `${this.nameOf(event.step)} ${words}`);
  }

  private tellLog(event: Told<"log">): void {
    if (!this.levels.includes(event.level)) return;
    const isGrave = event.level === "error" || event.level === "warn";
    const text = [
      ...(event.step === undefined ? [] : [this.nameOf(event.step)]),
      ...(event.call === undefined ? [] : [`${event.call} (${event.host ?? "?"})`]),
      event.text,
    ].join(" ");
    this.tellLine(event.ms, event.level, text, isGrave ? this.err : this.out);
  }

  private tellDone(event: Told<"done">): void {
    const { state, out, err } = this;
    const word = event.outcome === "failed" || event.outcome === "refused" ? "fail" : "done";
    const isStopped = event.outcome === "stopped";
    const steps = event.counts.total > 0 && !isStopped ? `, ${countText(event)}` : "";
    const isRemoved = state.run?.command === "down" && word === "done" && !isStopped;
    const tail = isRemoved && event.kept !== "" ? `${steps}, kept: ${event.kept}` : steps;
    if (event.outcome === "done") out.write(drawLines(timelineLines(state, event, chartCanvas), chartCanvas));
    this.tellLine(event.ms, word, `${resultText(state, event)}${tail}, ${formatElapsed(event.tookMs)}`);
    if (isStopped) out.write(renderLeftNow(chartCanvas, undefined, state));
    if (event.outcome === "waiting" && event.error) {
      this.tellLine(event.ms, "next", event.error.next);
      return;
    }
    for (const error of errorsOf(state)) {
      err.write(`\n${renderError(error, event.kept === "" ? {} : { kept: event.kept }, err)}`);
    }
  }
}

type StepTold = Told<"queued" | "started" | "retried" | "finished" | "failed" | "skipped">;

/** What happened to a step, in a word and what follows its name. */
function stepWords(event: StepTold, nameOf: (id: StepId) => string): [word: string, text: string] {
  switch (event.type) {
    case "queued":
      return ["queue", `behind ${nameOf(event.behind)}, lock ${event.lock}`];
    case "started":
      return ["start", ""];
    case "retried":
      return ["retry", `attempt ${event.attempt} in ${formatSeconds(event.inMs)}: ${event.because}`];
    case "finished":
      return ["ok", formatSeconds(event.tookMs)];
    case "failed":
      return ["fail", `${event.error.code}: ${event.error.why}`];
    case "skipped":
      return ["skip", event.why ?? `needs ${nameOf(event.because)}`];
  }
}

const planText = (plan: Told<"plan">): string =>
  plan.steps.length === 0
    ? `no changes, ${plan.same} as the file says`
    : `${stepCountText(plan.steps.length)}${plan.same > 0 ? `, ${plan.same} as the file says` : ""}`;

/** Decides when a log speaks of something that goes on: often enough to show life, seldom enough to be read. */
interface Pace {
  speaksOf(step: StepId, beganMs: number, nowMs: number, seen: string): boolean;
}

/** A wait whose numbers tick would say something new with every look. */
const leastBetweenMs = 5_000;
/** One that shows a journal says something new for as long as anybody writes to it: after so many words it speaks seldom. */
const mostAtOnce = 3;
const leastBetweenWordsMs = 15_000;
/** Rounded times of one wait differ a little; waits that began further apart are two. */
const apartMs = 1_000;

/** At 10s, 30s, then every minute, and whenever what is seen changes. */
function newPace(): Pace {
  const spoken = new Map<StepId, { beganMs: number; seen: string; atMs: number; words: number }>();
  return {
    speaksOf(step, beganMs, nowMs, seen) {
      const known = spoken.get(step);
      const isSameWait = known !== undefined && Math.abs(known.beganMs - beganMs) < apartMs;
      const last = isSameWait ? known : { beganMs, seen, atMs: beganMs, words: 0 };
      const sinceMs = nowMs - last.atMs;
      const isOther = withoutDigits(last.seen) !== withoutDigits(seen) && last.words < mostAtOnce;
      const leastMs = last.words < mostAtOnce ? leastBetweenMs : leastBetweenWordsMs;
      const isNew = last.seen !== seen && (isOther || sinceMs >= leastMs);
      const speaks = isNew || isDue(last.atMs - last.beganMs, nowMs - last.beganMs);
      spoken.set(step, speaks ? { ...last, seen, atMs: nowMs, words: last.words + Number(isNew) } : last);
      return speaks;
    },
  };
}

function isDue(spokenMs: number, sinceMs: number): boolean {
  const marks = [10_000, 30_000, Math.floor(sinceMs / 60_000) * 60_000];
  return marks.some((mark) => mark > 0 && sinceMs >= mark && spokenMs < mark);
}

const withoutDigits = (text: string): string => text.replace(/[\d.]+/g, "#");
