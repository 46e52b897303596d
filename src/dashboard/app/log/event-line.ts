import type { RunEvent } from "../../../plan/index.ts";
import {
  clusterCount,
  formatDuration,
  formatElapsed,
  formatNumber,
  lowerFirst,
  problemTitle,
  resultText,
  shortStep,
  stepCountText,
  worldText,
  type RunState,
} from "../../../views/index.ts";
import { shapeOfCheck, type Shape } from "../parts/icon.tsx";

/** One event as a line of the log. */
export interface EventLine {
  /** `2:21.0`. */
  time: string;
  shape: Shape;
  about: string;
  text: string;
  tone: "" | "warn" | "bad";
}

export const filters = ["all", "waits", "problems", "calls"] as const;
export type Filter = (typeof filters)[number];

/** Whether an event passes a filter. */
export function passes(event: RunEvent, filter: Filter): boolean {
  switch (filter) {
    case "all":
      return true;
    case "waits":
      return ["waiting", "queued", "retried"].includes(event.type);
    case "calls":
      return event.type === "log" && event.call !== undefined;
    case "problems":
      return isProblem(event);
  }
}

function isProblem(event: RunEvent): boolean {
  if (event.type === "check") return event.status === "failed" || event.status === "warned";
  if (event.type === "log") return event.level === "error" || event.level === "warn";
  return ["failed", "skipped", "problem", "retried", "stopping"].includes(event.type);
}

export function lineOf(event: RunEvent, state: RunState): EventLine {
  const [shape, about, text, tone = ""] = wordsOf(event, state, (id) => shortStep(id, clusterCount(state)));
  return { time: timeText(event.ms), shape, about, text, tone };
}

type Words = [shape: Shape, about: string, text: string, tone?: EventLine["tone"]];

function wordsOf(event: RunEvent, state: RunState, nameOf: (id: string) => string): Words {
  switch (event.type) {
    case "run":
      return ["run", "run", `${event.command} ${event.clusters.join(", ")}, ${worldText(state)}`];
    case "check":
      return checkWords(event);
    case "plan":
      return [
        "done",
        "plan",
        `${stepCountText(event.steps.length)}, ${event.same} as they should be, ${event.refused.length} refused`,
      ];
    case "queued":
      return ["wait", nameOf(event.step), `behind ${nameOf(event.behind)} for ${event.lock}`, "warn"];
    case "started":
      return [
        "run",
        nameOf(event.step),
        lowerFirst(state.steps.get(event.step)?.planned.title ?? event.action),
      ];
    case "progress":
      return ["run", nameOf(event.step), `${event.done} of ${event.total} ${event.unit}`];
    case "waiting":
      return [
        "wait",
        nameOf(event.step),
        [`waiting for ${event.what}`, event.lastSeen, event.cause].filter(Boolean).join("; "),
        "warn",
      ];
    case "retried":
      return [
        "warn",
        nameOf(event.step),
        `again in ${formatDuration(event.inMs)}, try ${event.attempt}: ${event.because}`,
        "warn",
      ];
    case "finished":
      return ["done", nameOf(event.step), `done in ${formatDuration(event.tookMs)}${outText(event.out)}`];
    case "failed":
      return [
        "fail",
        nameOf(event.step),
        `${event.error.what}: ${event.error.why} (${event.error.code})`,
        "bad",
      ];
    case "skipped":
      return ["skip", nameOf(event.step), `skipped: ${nameOf(event.because)} did not succeed`];
    case "log":
      return [
        logShape[event.level],
        event.step === undefined ? (event.host ?? event.level) : nameOf(event.step),
        event.call === undefined ? event.text : `${event.call}: ${event.text}`,
        event.level === "error" ? "bad" : event.level === "warn" ? "warn" : "",
      ];
    case "stopping":
      return [
        "warn",
        "stopping",
        `${event.signal}: ${stepCountText(event.running.length)} to a safe point, at most ${formatElapsed(event.graceMs)}`,
        "warn",
      ];
    case "problem":
      return ["fail", event.code, `${event.file}:${event.line}:${event.column} ${event.what}`, "bad"];
    case "done":
      return [
        event.exitCode === 0 ? "done" : "fail",
        "done",
        `${resultText(state, event)}, ${formatDuration(event.tookMs)}`,
        event.exitCode === 0 ? "" : "bad",
      ];
    // Readers ignore types they do not know.
    default:
      return ["plan", "", ""];
  }
}

const logShape = { error: "fail", warn: "warn", info: "run", debug: "plan" } as const;

function checkWords(event: Extract<RunEvent, { type: "check" }>): Words {
  const place = event.node ?? event.host;
  const isGood = event.status === "ok" || event.status === "skipped";
  const text = [problemTitle(event), event.found].filter(Boolean).join(": ");
  return [
    shapeOfCheck[event.status],
    place === undefined ? event.phase : `${event.phase} ${place}`,
    text,
    isGood ? "" : event.status === "failed" ? "bad" : "warn",
  ];
}

const outText = (out: Record<string, string | number> | undefined): string =>
  out && Object.keys(out).length > 0
    ? `; ${Object.entries(out)
        .map(([key, value]) => `${key} ${value}`)
        .join(", ")}`
    : "";

function timeText(ms: number): string {
  const tenths = Math.floor(ms / 100);
  const minutes = Math.floor(tenths / 600);
  return `${minutes}:${((tenths % 600) / 10).toFixed(1).padStart(4, "0")}`;
}

export const countText = (shown: number, all: number): string =>
  shown === all ? formatNumber(all, "event") : `${shown} of ${formatNumber(all, "event")}`;
