import type { CheckResult } from "../operations/index.ts";
import type { Shell } from "./shell.ts";
import { groupFailures, renderError, renderPreflight, renderWarnings } from "./views/index.ts";

/** What stands instead of a plan: the checks that are in its way, and below each how to mend it. */
export function showPreflight(shell: Shell, checks: CheckResult[]): void {
  shell.out.write(
    renderPreflight(
      checks.map(({ check, ...finding }) => ({ ...check, ...finding })),
      shell.out,
    ),
  );
  showErrors(shell, checks);
}

export function showWarnings(shell: Shell, checks: CheckResult[]): void {
  shell.out.write(
    renderWarnings(
      checks.map(({ check, ...finding }) => ({ ...check, ...finding })),
      shell.out,
    ),
  );
}

/** Each failure once, also when several clusters meet it on the same host. */
export function showErrors(shell: Shell, checks: CheckResult[]): void {
  const failures = checks.flatMap(({ check, error }) =>
    error ? [{ step: check.id, error, ...(check.node !== undefined && { node: check.node }) }] : [],
  );
  for (const error of groupFailures(failures)) {
    shell.err.write(`\n${renderError(error, {}, shell.err)}`);
  }
}
