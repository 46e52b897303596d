import type { LogLevel } from "../plan/index.ts";

/** What every command takes. */
export interface CommonOptions {
  file: string;
  json?: boolean;
  yes?: boolean;
  plain?: boolean;
  /** Without it a live tree tells warnings, everything else information too. */
  logLevel?: LogLevel;
}

export const logLevels: readonly LogLevel[] = ["error", "warn", "info", "debug"];

/** As commander takes it: the same for every command that reads a cluster file. */
export const fileOption = [
  "-f, --file <file>",
  "the cluster file, or a folder of them",
  "slipway.yaml",
] as const;

/** This level and all that are graver. */
export const levelsUpTo = (level: LogLevel): readonly LogLevel[] =>
  logLevels.slice(0, logLevels.indexOf(level) + 1);
