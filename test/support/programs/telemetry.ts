import { execFileSync } from "node:child_process";
import { labFile } from "../peers.ts";

export const howToGetTelemetry = "build it with lab/build-probe.sh telemetry-probe";

/** A small program on the parsers of Prometheus and of the OpenTelemetry collector. */
export const findTelemetry = (): string | undefined => labFile("telemetry-probe");

type Stage = "metrics" | "traces" | "rules" | "expressions";

/** What those parsers understand of a text; throws what they say when they do not. */
export const understood = (program: string, what: Stage, text: string): unknown =>
  JSON.parse(execFileSync(program, [what], { input: text, encoding: "utf8", stdio: "pipe" }));
