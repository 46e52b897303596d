/** Runs as OpenTelemetry traces over OTLP/HTTP: a run is a trace, its steps and calls are spans. */
export { openTraces, traceTarget, type TraceExporter } from "./exporter.ts";
