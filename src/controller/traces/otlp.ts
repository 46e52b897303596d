import type { Span } from "./spans.ts";

/** The numbers of `Span.SpanKind` and `Status.StatusCode` in OTLP. */
const kinds = { internal: 1, client: 3 };
const errorStatus = 2;

/**
 * Spans as an `ExportTraceServiceRequest` in OTLP's JSON: ids are hexadecimal, 64-bit numbers are texts, enumerations are
 * numbers.
 */
export const otlpRequest = (spans: readonly Span[], version: string): object => ({
  resourceSpans: [
    {
      resource: { attributes: attributes({ "service.name": "slipway", "service.version": version }) },
      scopeSpans: [{ scope: { name: "slipway", version }, spans: spans.map(otlpSpan) }],
    },
  ],
});

const otlpSpan = (span: Span): object => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentSpanId !== undefined && { parentSpanId: span.parentSpanId }),
  name: span.name,
  kind: kinds[span.kind],
  startTimeUnixNano: nanoseconds(span.startMs),
  endTimeUnixNano: nanoseconds(span.endMs),
  attributes: attributes(span.attributes),
  events: span.events.map(({ name, atMs, attributes: given }) => ({
    timeUnixNano: nanoseconds(atMs),
    name,
    attributes: attributes(given),
  })),
  status: span.failure === undefined ? {} : { code: errorStatus, message: span.failure },
});

/** A millisecond has three digits too many for a number of JavaScript. */
const nanoseconds = (ms: number): string => (BigInt(Math.round(ms * 1000)) * 1000n).toString();

const attributes = (given: Span["attributes"]): object[] =>
  Object.entries(given).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [
          {
            key,
            value:
              typeof value === "string"
                ? { stringValue: value }
                : typeof value === "boolean"
                  ? { boolValue: value }
                  : Number.isInteger(value)
                    ? { intValue: String(value) }
                    : { doubleValue: value },
          },
        ],
  );
