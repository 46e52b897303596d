/** The programs that a simulated host knows by itself. */
export { plainCommand, runCommand, type RunRequest } from "./run-command.ts";
export type { Outcome } from "./command.ts";
