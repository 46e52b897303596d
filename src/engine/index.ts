/** Runs plans and checks: order, parallelism, locks, retry, stopping, events. */
export { LockTable } from "./lock-table.ts";
export { repeatTransient } from "./repeat-transient.ts";
export { runChecklist, runChecks, type CheckResult } from "./run-checks.ts";
export { runPlan, type FinishedStep, type RunResult } from "./run-plan.ts";
