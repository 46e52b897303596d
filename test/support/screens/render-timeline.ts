import { newRunState } from "../../../src/views/run/run-state.ts";
import { takeEvent } from "../../../src/views/run/take-event.ts";
import { drawLines, type Canvas } from "../../../src/cli/views/text/line.ts";
import { timelineLines } from "../../../src/cli/views/timeline/timeline-lines.ts";
import type { RunEvent } from "../../../src/plan/index.ts";

/** The chart below a run that told these events. */
export function renderTimeline(events: Iterable<RunEvent>, canvas: Canvas): string {
  const state = newRunState();
  for (const event of events) takeEvent(state, event);
  return state.done ? drawLines(timelineLines(state, state.done, canvas), canvas) : "";
}
