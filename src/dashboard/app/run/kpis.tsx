import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { criticalPath } from "../../../plan/index.ts";
import {
  formatDuration,
  formatElapsed,
  formatEstimate,
  remainingMs,
  timedSteps,
  type RunState,
} from "../../../views/index.ts";
import { useStore } from "../data/store.ts";

interface KpisProps {
  state: RunState;
  nowMs: number;
  isOver: boolean;
  run: string | undefined;
}

/** Elapsed, left, steps, and what of it was Slipway's own. */
export function Kpis({ state, nowMs, isOver, run }: KpisProps): JSX.Element {
  const { counts, done } = state;
  const total = state.steps.size;
  const active = counts.running + counts.waiting + counts.queued;
  const leftMs = isOver ? undefined : remainingMs(state, nowMs);
  return (
    <div class="panel kpis">
      <div class="kpi">
        <span>{isOver ? "Took" : "Elapsed"}</span>
        <b>{formatElapsed(done?.tookMs ?? nowMs)}</b>
      </div>
      <div class="kpi">
        <span>{isOver ? "Ended" : "Left, by earlier runs"}</span>
        <b>
          {isOver
            ? outcomeText(state)
            : leftMs === undefined
              ? "not known"
              : `about ${formatEstimate(leftMs)}`}
        </b>
        {!isOver && <StopButton run={run} />}
      </div>
      <div class="kpi">
        <span>Steps done</span>
        <b>
          {counts.done} <small>{stepsText(state, total, active)}</small>
        </b>
        <StepsBar state={state} />
      </div>
      <OwnTime state={state} />
    </div>
  );
}

const outcomes = {
  done: "Done",
  unchanged: "No changes",
  failed: "Failed",
  stopped: "Stopped",
  refused: "Refused",
  waiting: "Waits for its window",
};

const outcomeText = ({ done }: RunState): string => (done ? outcomes[done.outcome] : "Cut short");

function stepsText({ counts }: RunState, total: number, active: number): string {
  const parts = [`of ${total}`];
  if (counts.failed > 0) parts.push(`${counts.failed} failed`);
  if (counts.skipped > 0) parts.push(`${counts.skipped} skipped`);
  if (active > 0) parts.push(`${active} running`);
  return parts.join(", ");
}

/** One mark per step, or shares of the whole where there are too many. */
function StepsBar({ state: { counts, steps } }: { state: RunState }): JSX.Element {
  const shares = [
    ["done", counts.done],
    ["fail", counts.failed],
    ["run", counts.running + counts.waiting + counts.queued],
    ["skip", counts.skipped],
    ["", counts.pending],
  ] as const;
  const isMarked = steps.size <= 40;
  return (
    <div class="seg" aria-hidden="true">
      {shares.flatMap(([kind, count]) =>
        isMarked
          ? Array.from({ length: count }, (_, index) => <i key={`${kind}${index}`} class={kind} />)
          : count > 0
            ? [<i key={kind} class={kind} style={{ flexGrow: `${count}` }} />]
            : [],
      )}
    </div>
  );
}

function OwnTime({ state }: { state: RunState }): JSX.Element {
  const { done } = state;
  const known = done && done.floorMs > 0 ? done : pathSoFar(state);
  const percent = known && known.floorMs > 0 ? Math.round((known.ownMs / known.floorMs) * 100) : undefined;
  return (
    <div class="kpi">
      <span>Slipway's own time</span>
      <b>
        {known === undefined || percent === undefined ? "-" : formatDuration(known.ownMs)}{" "}
        {percent !== undefined && <small>{percent}% over the floor</small>}
      </b>
    </div>
  );
}

function pathSoFar(state: RunState): { floorMs: number; ownMs: number } | undefined {
  const timed = timedSteps(state);
  return timed.length === 0 ? undefined : criticalPath(timed);
}

/** The first Ctrl-C, for a run that was started from here. */
function StopButton({ run }: { run: string | undefined }): JSX.Element | null {
  const store = useStore();
  const [isAsked, setAsked] = useState(false);
  if (run === undefined || !store.started.value.has(run)) return null;
  const stop = async (): Promise<void> => {
    setAsked(true);
    try {
      await store.api?.post("/api/stop", { run });
    } catch (thrown) {
      store.missed(thrown);
      setAsked(false);
    }
  };
  return (
    <button type="button" class="button" disabled={isAsked} onClick={() => void stop()}>
      {isAsked ? "Stops at the next safe point" : "Stop safely"}
    </button>
  );
}
