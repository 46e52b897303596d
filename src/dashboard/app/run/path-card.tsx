import type { JSX } from "preact";
import type { StepId } from "../../../plan/index.ts";
import { formatDuration, formatElapsed, type RunState } from "../../../views/index.ts";
import type { Timeline } from "./lanes.ts";

/** What nothing could have saved, step by step; what is still expected is dashed. */
export function PathCard({
  timeline,
  state,
  isOver,
}: {
  timeline: Timeline;
  state: RunState;
  isOver: boolean;
}): JSX.Element {
  const rows = pathRows(timeline, (id) => state.steps.get(id)?.planned.title ?? id);
  const longestMs = Math.max(1, ...rows.map(({ ms }) => ms));
  const totalMs = isOver ? (state.done?.tookMs ?? timeline.endMs) : timeline.endMs;
  return (
    <section class="panel behind">
      <header>
        <h2>Critical path</h2>
        <span class="mute push num">{`${isOver ? "" : "~"}${formatElapsed(totalMs)}`}</span>
      </header>
      {rows.length === 0 && <p class="body mute">Nothing has finished yet.</p>}
      <ol class="path">
        {rows.map(({ step, title, ms, isForecast }) => (
          <li key={step} class={isForecast ? "fc" : ""}>
            <b title={title}>{title}</b>
            <span class="num">{isForecast ? `~${formatElapsed(ms)}` : formatDuration(ms)}</span>
            <span class="meter" aria-hidden="true">
              <i style={{ width: `${((ms / longestMs) * 100).toFixed(1)}%` }} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The path as text, with the share of each step. */
function pathRows(
  timeline: Timeline,
  titleOf: (step: StepId) => string,
): { step: StepId; title: string; ms: number; isForecast: boolean }[] {
  const forecasts = new Set(
    timeline.lanes.flatMap((lane) => (lane.isForecast ? lane.segments.map(({ fromMs }) => fromMs) : [])),
  );
  return timeline.path.flatMap((step) => {
    const span = timeline.placed.get(step);
    if (!span || span.toMs - span.fromMs < 50) return [];
    return [
      { step, title: titleOf(step), ms: span.toMs - span.fromMs, isForecast: forecasts.has(span.fromMs) },
    ];
  });
}
