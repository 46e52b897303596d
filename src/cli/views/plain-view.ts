import type { RunEvent, StepId } from "../../plan/index.ts";
import { levelsUpTo } from "../options.ts";
import { summarizeChecks } from "./check-summary.ts";
import { renderLeftNow } from "./closing.ts";
import { errorsOf } from "./group-failures.ts";
import { renderError } from "./render-error.ts";
import { drawLines, safeText } from "./line.ts";
import { timelineLines } from "./render-timeline.ts";
import { countWords, resultWords, stepCountWords, worldWords } from "./outcome-words.ts";
import { clusterCount, newRunState, type StepState, type Told } from "./run-state.ts";
import type { Screen } from "./screen.ts";
import { shortStep } from "./step-name.ts";
import { newPace } from "./plain-pace.ts";
import { progressWords } from "./step-words.ts";
import { takeEvent } from "./take-event.ts";
import type { View } from "./view.ts";
import { formatElapsed, formatNumber, formatSeconds } from "./words.ts";

export interface PlainViewOptions {
  out: Screen;
  err: Screen;
  /** Which `log` events are shown. */
  logLevel?: Told<"log">["level"];
}

const checkWords = { ok: "ok", warned: "warn", failed: "fail", skipped: "skip" } as const;

/** The chart at the end, as every log viewer can show it. */
const chartCanvas = { columns: 80, isUnicode: false, hasColor: false };

/** One line per event, for pipes, logs and screen readers: seconds since the start, a word, what it is about. */
export function plainView({ out, err, logLevel = "info" }: PlainViewOptions): View {
  const state = newRunState();
  const pace = newPace();
  const toldPhases = new Set<string>();
  const levels = levelsUpTo(logLevel);

  const say = (ms: number, word: string, text: string, to: Screen = out): void => {
    const time = `${(ms / 1000).toFixed(1)}s`.padStart(7);
    to.write(`${time} ${word.padEnd(6)} ${safeText(text, { isUnicode: false })}\n`);
  };
  const name = (id: StepId): string => shortStep(id, clusterCount(state));

  const endPhases = (except: string | undefined): void => {
    for (const [phase, tally] of state.checks) {
      if (phase === except || toldPhases.has(phase)) continue;
      toldPhases.add(phase);
      const { status, passed, total, tookMs } = summarizeChecks(phase, tally);
      const count = passed === total ? formatNumber(total, "check") : `${passed} of ${total} checks`;
      const word = status === "failed" ? "fail" : status === "warned" ? "warn" : "ok";
      say(tally.endedMs, word, `${phase} ${count}, ${formatSeconds(tookMs)}`);
    }
  };

  const tellCheck = (event: Told<"check">): void => {
    // Preflight is told by its exceptions; the checklist at the end is worth reading line by line.
    const isException = event.status === "failed" || event.status === "warned";
    if (!isException && event.phase !== "verify") return;
    const place = event.node ?? event.host;
    const found = event.error?.why ?? event.because ?? event.found;
    say(
      event.ms,
      checkWords[event.status],
      `${event.phase} ${event.id}${place === undefined ? "" : ` on ${place}`}${found === undefined ? "" : `: ${found}`}`,
    );
  };

  const tellWait = (event: Told<"waiting">): void => {
    const seen = [event.lastSeen, event.cause].filter((part) => part !== undefined).join("; ");
    if (!pace.speaksOf(event.step, event.ms - event.sinceMs, event.ms, seen)) return;
    const since = `${formatElapsed(event.sinceMs)} of ${formatElapsed(event.deadlineMs)}`;
    say(event.ms, "wait", `${name(event.step)} ${since}: ${seen === "" ? event.what : seen}`);
  };

  const tellProgress = (event: Told<"progress">, step: StepState | undefined): void => {
    if (!step?.progress || !pace.speaksOf(event.step, step.startedMs ?? event.ms, event.ms, "")) return;
    say(event.ms, "wait", `${name(event.step)} ${progressWords(step.progress).slice(0, 2).join(", ")}`);
  };

  const tellDone = (event: Told<"done">): void => {
    const word = event.outcome === "failed" || event.outcome === "refused" ? "fail" : "done";
    const isStopped = event.outcome === "stopped";
    const steps = event.counts.total > 0 && !isStopped ? `, ${countWords(event)}` : "";
    const isRemoved = state.run?.command === "down" && word === "done" && !isStopped;
    const tail = isRemoved && event.kept !== "" ? `${steps}, kept: ${event.kept}` : steps;
    if (event.outcome === "done") out.write(drawLines(timelineLines(state, event, chartCanvas), chartCanvas));
    say(event.ms, word, `${resultWords(state, event)}${tail}, ${formatElapsed(event.tookMs)}`);
    if (isStopped) out.write(renderLeftNow(chartCanvas));
    for (const error of errorsOf(state)) {
      err.write(`\n${renderError(error, event.kept === "" ? {} : { kept: event.kept }, err)}`);
    }
  };

  return {
    tell(event: RunEvent) {
      const step = takeEvent(state, event);
      if (event.type === "plan" || event.type === "done" || event.type === "started") endPhases(undefined);
      else if (event.type === "check") endPhases(event.phase);
      switch (event.type) {
        case "run": {
          const names = event.clusters.join(", ");
          say(event.ms, "run", `${event.command} ${names}, ${worldWords(state)}, ${event.run}`);
          if (event.resumes)
            say(event.ms, "resume", `${event.resumes.run}, cut at ${formatElapsed(event.resumes.ms)}`);
          return;
        }
        case "plan":
          say(event.ms, "plan", planWords(event));
          for (const refusal of event.refused)
            say(event.ms, "refuse", `${name(refusal.step)}: ${refusal.why}`);
          return;
        case "check":
          return tellCheck(event);
        case "queued":
          return say(
            event.ms,
            "queue",
            `${name(event.step)} behind ${name(event.behind)}, lock ${event.lock}`,
          );
        case "started":
          return say(event.ms, "start", name(event.step));
        case "progress":
          return tellProgress(event, step);
        case "waiting":
          return tellWait(event);
        case "retried":
          return say(
            event.ms,
            "retry",
            `${name(event.step)} attempt ${event.attempt} in ${formatSeconds(event.inMs)}: ${event.because}`,
          );
        case "finished":
          return say(event.ms, "ok", `${name(event.step)} ${formatSeconds(event.tookMs)}`);
        case "failed":
          return say(event.ms, "fail", `${name(event.step)} ${event.error.code}: ${event.error.why}`);
        case "skipped":
          return say(event.ms, "skip", `${name(event.step)} needs ${name(event.because)}`);
        case "log":
          if (levels.includes(event.level))
            say(event.ms, event.level, logWords(event, name), logScreen(event, out, err));
          return;
        case "stopping":
          return say(
            event.ms,
            "stop",
            `${event.signal}, ${stepCountWords(event.running.length)} to a safe point, at most ${formatElapsed(event.graceMs)}`,
          );
        case "problem":
          return say(
            event.ms,
            "fail",
            `${event.file}:${event.line}:${event.column} ${event.code}: ${event.what}`,
            err,
          );
        case "done":
          return tellDone(event);
        default:
          return;
      }
    },
    say: (text) => out.write(text),
    close: () => {},
  };
}

const planWords = (plan: Told<"plan">): string =>
  plan.steps.length === 0
    ? `no changes, ${plan.same} as the file says`
    : `${stepCountWords(plan.steps.length)}${plan.same > 0 ? `, ${plan.same} as the file says` : ""}`;

const logWords = (event: Told<"log">, name: (id: StepId) => string): string =>
  [
    ...(event.step === undefined ? [] : [name(event.step)]),
    ...(event.call === undefined ? [] : [`${event.call} (${event.host ?? "?"})`]),
    event.text,
  ].join(" ");

const logScreen = (event: Told<"log">, out: Screen, err: Screen): Screen =>
  event.level === "error" || event.level === "warn" ? err : out;
