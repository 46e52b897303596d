import { backoffMs, connectionText, type CallTrace, type Clock, type Redaction } from "../../lib/index.ts";
import type { RunEvent } from "../../plan/index.ts";
import { otlpRequest } from "./otlp.ts";
import { readSpans, type Span } from "./spans.ts";

/** Where traces go, as the variables of OpenTelemetry say it. */
export interface TraceTarget {
  /** `http://collector:4318/v1/traces`. */
  url: string;
  headers: Record<string, string>;
}

export interface TraceExporter {
  /** Readers for one run: of its events, and of the calls of its world until it is done. */
  followRun(calls: CallTrace): (event: RunEvent) => void;
  /** Sends what is left. */
  close(): Promise<void>;
}

interface ExporterOptions {
  target: TraceTarget;
  version: string;
  clock: Clock;
  redaction: Redaction;
  /** Told when traces cannot be delivered, once until they can again. */
  warn(text: string): void;
  send?: typeof fetch;
}

const batchSpans = 512;
/** A collector that is away costs no more memory than this. */
const mostSpans = 8_192;
const everyMs = 5_000;
const limitMs = 10_000;
const attempts = 4;
/** Those of which OTLP says that they may pass. */
const fleetingStatus = new Set([429, 502, 503, 504]);

/** Where traces go, or nowhere, which is the usual case. */
export function traceTarget(env: NodeJS.ProcessEnv): TraceTarget | undefined {
  const base = env["OTEL_EXPORTER_OTLP_ENDPOINT"];
  const url =
    env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] ??
    (base === undefined || base === "" ? undefined : `${base.replace(/\/+$/, "")}/v1/traces`);
  if (url === undefined || url === "") return undefined;
  const written = env["OTEL_EXPORTER_OTLP_TRACES_HEADERS"] ?? env["OTEL_EXPORTER_OTLP_HEADERS"] ?? "";
  const headers = written.split(",").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]];
  });
  return { url, headers: Object.fromEntries(headers) as Record<string, string> };
}

/** Sends spans in batches. Whatever goes wrong here disturbs no run. */
export function openTraces(options: ExporterOptions): TraceExporter {
  const { target, version, clock, redaction, warn, send = fetch } = options;
  let waiting: Span[] = [];
  let sending = Promise.resolve();
  let cancelTimer: (() => void) | undefined;
  let hasWarned = false;

  const add = (span: Span): void => {
    waiting.push(span);
    if (waiting.length > mostSpans) waiting = waiting.slice(-mostSpans);
    if (waiting.length >= batchSpans) flush();
    else cancelTimer ??= clock.after(everyMs, flush);
  };

  function flush(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    sending = sending.then(async () => {
      while (waiting.length > 0) {
        const batch = waiting.splice(0, batchSpans);
        const why = await deliver(batch);
        if (why === undefined) {
          hasWarned = false;
          continue;
        }
        if (!hasWarned) warn(`traces are lost: ${why}`);
        hasWarned = true;
      }
    });
  }

  /** Why it could not be delivered, if that is so. */
  async function deliver(batch: readonly Span[]): Promise<string | undefined> {
    const body = JSON.stringify(redaction.redact(otlpRequest(batch, version)));
    for (let attempt = 1; ; attempt += 1) {
      const answer = await post(body);
      if (answer === undefined) return undefined;
      if (!answer.mayPass || attempt >= attempts) return answer.why;
      await clock.sleep(backoffMs(attempt));
    }
  }

  async function post(body: string): Promise<{ why: string; mayPass: boolean } | undefined> {
    try {
      const { status } = await send(target.url, {
        method: "POST",
        headers: { ...target.headers, "content-type": "application/json" },
        body,
        signal: AbortSignal.timeout(limitMs),
      });
      if (status < 300) return undefined;
      return { why: `${target.url} answered ${status}`, mayPass: fleetingStatus.has(status) };
    } catch (thrown) {
      const { cause = thrown } = thrown as { cause?: unknown };
      return { why: `${target.url}: ${connectionText(cause)}`, mayPass: true };
    }
  }

  return {
    followRun(calls) {
      const spans = readSpans(add);
      const deafen = calls.listen((call) => spans.call(call, clock.now()));
      return (event) => {
        spans.event(event);
        if (event.type === "done") deafen();
      };
    },
    async close() {
      flush();
      await sending;
    },
  };
}
