export interface ProgramOptions {
  /** Written to it, then closed. */
  stdin?: string | Buffer | undefined;
  /** All it gets, but for the few things every program needs to find others and the network. */
  env?: Record<string, string>;
  cwd?: string;
  /** Asks it to end, and ends it if it does not. */
  signal: AbortSignal;
  /** Every whole line as it comes. */
  onLine?(stream: "stdout" | "stderr", line: string): void;
}

export interface ProgramOutcome {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs a program to its end. Rejects only when it could not be started (`code` of the error says why, ENOENT: there is
 * none) or was aborted (with the signal's reason).
 */
export type RunProgram = (
  command: string,
  args: string[],
  options: ProgramOptions,
) => Promise<ProgramOutcome>;
