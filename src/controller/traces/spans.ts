import { createHash } from "node:crypto";
import type { TracedCall } from "../../lib/index.ts";
import type { PlannedStep, RunEvent, StepId } from "../../plan/index.ts";

type AttributeValue = string | number | boolean;

/** A span as OTLP tells it, before it is written. */
export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string | undefined;
  name: string;
  /** A call goes out to somebody; all else happens within. */
  kind: "internal" | "client";
  startMs: number;
  endMs: number;
  attributes: Record<string, AttributeValue | undefined>;
  events: { name: string; atMs: number; attributes: Record<string, AttributeValue | undefined> }[];
  /** Why it failed; absent: it did not. */
  failure?: string | undefined;
}

interface StepUnderWay {
  planned: PlannedStep;
  startMs?: number;
  events: Span["events"];
}

export interface SpanReader {
  /** Reads an event of the run. */
  event(event: RunEvent): void;
  /** Reads a call that ended at `endMs`. Those that no step of this run made are others': many runs may share one trace of calls. */
  call(call: TracedCall, endMs: number): void;
}

interface RunUnderWay {
  /** Runs are named after the second they begin in, and many clusters may begin in one. */
  key: string;
  name: string;
  command: string;
  clusters: string[];
  startMs: number;
}

/** One run as a trace: the run is its root, steps are below it, calls below the step that made them. */
export function readSpans(tell: (span: Span) => void): SpanReader {
  const steps = new Map<StepId, StepUnderWay>();
  let run: RunUnderWay | undefined;

  const endStep = (event: RunEvent & { step: StepId }, failure?: string): void => {
    const step = steps.get(event.step);
    if (run && step?.startMs !== undefined)
      tell(stepSpan(run, { ...step, startMs: step.startMs }, Date.parse(event.at), failure));
    steps.delete(event.step);
  };

  const note = (event: RunEvent & { step: StepId }, attributes: Span["attributes"]): void =>
    void steps.get(event.step)?.events.push({ name: event.type, atMs: Date.parse(event.at), attributes });

  return {
    event(event) {
      switch (event.type) {
        case "run": {
          const { run: name, command, clusters } = event;
          run = {
            ...{ name, command, clusters, key: [name, ...clusters].join("\0") },
            startMs: Date.parse(event.at),
          };
          return;
        }
        case "plan":
          for (const planned of event.steps) steps.set(planned.id, { planned, events: [] });
          return;
        case "started": {
          const step = steps.get(event.step);
          if (step) step.startMs ??= Date.parse(event.at);
          return;
        }
        case "queued":
          return note(event, { "slipway.lock": event.lock, "slipway.behind": event.behind });
        case "retried":
          return note(event, { "slipway.attempt": event.attempt, "slipway.because": event.because });
        case "finished":
          return endStep(event);
        case "failed":
          return endStep(event, `${event.error.what}: ${event.error.why}`);
        case "done":
          if (run) tell(runSpan(run, event));
          return;
        default:
      }
    },
    call(call, endMs) {
      const step = call.by === undefined ? undefined : steps.get(call.by);
      if (run && step) tell(callSpan(run, call, step.planned, endMs));
    },
  };
}

const runSpan = (
  { key, name, command, clusters, startMs }: RunUnderWay,
  event: Extract<RunEvent, { type: "done" }>,
): Span => ({
  ...idsOf(key),
  name: `run ${command}`,
  kind: "internal",
  ...{ startMs, endMs: Date.parse(event.at), events: [] },
  attributes: {
    "slipway.run": name,
    "slipway.cluster": clusters.join(","),
    "slipway.outcome": event.outcome,
  },
  failure: event.outcome === "failed" ? (event.error?.what ?? "a step failed") : undefined,
});

const stepSpan = (
  { key }: RunUnderWay,
  { planned, startMs, events }: StepUnderWay & { startMs: number },
  endMs: number,
  failure: string | undefined,
): Span => ({
  ...idsOf(key, planned.id),
  parentSpanId: spanId(key),
  name: planned.title,
  kind: "internal",
  ...{ startMs, endMs, events, failure },
  attributes: {
    "slipway.cluster": planned.cluster,
    "slipway.step.id": planned.id,
    "slipway.step.kind": planned.kind,
    "slipway.step.action": planned.action,
    "slipway.node": planned.node,
    "slipway.host": planned.host,
  },
});

const callSpan = (
  { key }: RunUnderWay,
  { id, protocol, to, call, ms, outcome }: TracedCall,
  step: PlannedStep,
  endMs: number,
): Span => ({
  ...idsOf(key, `call ${id}`),
  parentSpanId: spanId(key, step.id),
  name: `${protocol} ${call}`,
  kind: "client",
  ...{ startMs: endMs - ms, endMs, events: [] },
  attributes: {
    "slipway.cluster": step.cluster,
    "slipway.step.id": step.id,
    "server.address": to,
    "slipway.call.outcome": outcome,
  },
  failure: isWell(outcome) ? undefined : outcome,
});

const isWell = (outcome: string): boolean =>
  outcome === "ok" || outcome === "exit 0" || /^[123]\d\d$/.test(outcome);

/** They follow from names, so that a run told twice is one trace. */
const idsOf = (run: string, within?: string): Pick<Span, "traceId" | "spanId"> => ({
  traceId: digest(run, 16),
  spanId: spanId(run, ...(within === undefined ? [] : [within])),
});

const spanId = (...names: string[]): string => digest(names.join("\0"), 8);

const digest = (text: string, bytes: number): string =>
  createHash("sha256")
    .update(text)
    .digest("hex")
    .slice(0, bytes * 2);
