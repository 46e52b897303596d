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

/** This level and all that are graver. */
export const levelsUpTo = (level: LogLevel): readonly LogLevel[] =>
  logLevels.slice(0, logLevels.indexOf(level) + 1);
