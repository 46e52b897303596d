import type { RunResult } from "../../engine/index.ts";
import { errorData, isRequestWrong, type ErrorData } from "../../errors/index.ts";
import { criticalPath, type EventBody, type Outcome } from "../../plan/index.ts";
import type { World } from "../../world/index.ts";

/** How a run ended: the last event of its stream, and what the caller gets back. */
export type RunReport = Extract<EventBody, { type: "done" }>;

const exitCodes: Record<Outcome, number> = {
  done: 0,
  unchanged: 0,
  failed: 1,
  refused: 2,
  waiting: 3,
  stopped: 130,
};

const nothingRan: RunResult = { finished: [], failed: [], skipped: [], held: [], stopped: [] };

interface RunReportFacts {
  outcome: Outcome;
  startedAt: number;
  result?: RunResult;
  kept?: string;
  outputs?: Record<string, string>;
  /** Of checks, where no steps ran. */
  counts?: RunReport["counts"];
  error?: ErrorData | undefined;
}

export function tellRunReport(world: World, facts: RunReportFacts): RunReport {
  const { finished, failed, skipped, stopped } = facts.result ?? nothingRan;
  const slowest = criticalPath(finished);
  const runReport: RunReport = {
    type: "done",
    outcome: facts.outcome,
    exitCode: exitCodes[facts.outcome],
    counts: facts.counts ?? {
      done: finished.length,
      failed: failed.length,
      skipped: skipped.length,
      total: finished.length + failed.length + skipped.length + stopped.length,
    },
    tookMs: Math.round(world.clock.now() - facts.startedAt),
    floorMs: Math.round(slowest.floorMs),
    ownMs: Math.round(world.clock.now() - facts.startedAt - slowest.floorMs),
    criticalPath: slowest.path,
    kept: facts.kept ?? "",
    outputs: facts.outputs ?? {},
    error: facts.error,
  };
  world.tell(runReport);
  return runReport;
}

/** Runs `work`; whatever it throws becomes the ending, so that a stream always has its last line. */
export async function runReportOf(
  world: World,
  startedAt: number,
  work: () => Promise<RunReport>,
): Promise<RunReport> {
  try {
    return await work();
  } catch (thrown) {
    if (world.stop.aborted) return tellRunReport(world, { outcome: "stopped", startedAt });
    const error = errorData(thrown);
    return tellRunReport(world, {
      outcome: isRequestWrong(error) ? "refused" : "failed",
      startedAt,
      error,
    });
  }
}
