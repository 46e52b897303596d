import type { RunResult } from "../engine/index.ts";
import { errorData, isRequestWrong, type ErrorData } from "../errors/index.ts";
import { criticalPath, type EventBody, type Outcome } from "../plan/index.ts";
import type { World } from "../world.ts";

/** How a run ended: the last event of its stream, and what the caller gets back. */
export type Ending = Extract<EventBody, { type: "done" }>;

const exitCodes: Record<Outcome, number> = { done: 0, unchanged: 0, failed: 1, refused: 2, stopped: 130 };

const nothingRan: RunResult = { finished: [], failed: [], skipped: [], stopped: [] };

export interface EndingFacts {
  outcome: Outcome;
  startedAt: number;
  result?: RunResult;
  kept?: string;
  outputs?: Record<string, string>;
  /** Of checks, where no steps ran. */
  counts?: Ending["counts"];
  error?: ErrorData;
}

export function tellEnding(world: World, facts: EndingFacts): Ending {
  const { finished, failed, skipped, stopped } = facts.result ?? nothingRan;
  const path = criticalPath(finished);
  const ending: Ending = {
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
    floorMs: Math.round(path.floorMs),
    ownMs: Math.round(world.clock.now() - facts.startedAt - path.floorMs),
    criticalPath: path.path,
    kept: facts.kept ?? "",
    outputs: facts.outputs ?? {},
    ...(facts.error && { error: facts.error }),
  };
  world.tell(ending);
  return ending;
}

/** Runs `work`; whatever it throws becomes the ending, so that a stream always has its last line. */
export async function endingOf(
  world: World,
  startedAt: number,
  work: () => Promise<Ending>,
): Promise<Ending> {
  try {
    return await work();
  } catch (thrown) {
    if (world.stop.aborted) return tellEnding(world, { outcome: "stopped", startedAt });
    const error = errorData(thrown);
    return tellEnding(world, {
      outcome: isRequestWrong(error) ? "refused" : "failed",
      startedAt,
      error,
    });
  }
}
