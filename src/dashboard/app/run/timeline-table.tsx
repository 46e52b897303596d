import type { JSX } from "preact";
import { formatDuration, formatElapsed } from "../../../views/index.ts";
import { Icon, shapeOfStep } from "../parts/icon.tsx";
import { Rows, type Column } from "../parts/rows.tsx";
import type { Lane, Timeline } from "./lanes.ts";

const words = {
  pending: "not started",
  queued: "queued",
  running: "running",
  waiting: "waiting",
  done: "done",
  failed: "failed",
  skipped: "skipped",
} as const;

const columns: Column<Lane>[] = [
  { title: "What", cell: (lane) => `${lane.label} ${lane.aside}`.trim() },
  {
    title: "State",
    kind: "state",
    cell: (lane) => (
      <>
        <Icon shape={shapeOfStep[lane.status]} label={false} />
        {words[lane.status]}
      </>
    ),
  },
  { title: "From", kind: "n phone-hide", cell: (lane) => edge(lane, "from") },
  { title: "To", kind: "n phone-hide", cell: (lane) => edge(lane, "to") },
  {
    title: "Took",
    kind: "n",
    cell: (lane) =>
      lane.tookMs === undefined
        ? ""
        : lane.isForecast
          ? `~${formatElapsed(lane.tookMs)}`
          : formatDuration(lane.tookMs),
  },
];

/** The same as the chart, in numbers. */
export const TimelineTable = ({ timeline }: { timeline: Timeline }): JSX.Element => (
  <Rows
    kind="timeline"
    label="Timeline of the run"
    items={timeline.lanes}
    columns={columns}
    keyOf={({ key }) => key}
  />
);

function edge({ segments, isForecast }: Lane, side: "from" | "to"): string {
  const segment = side === "from" ? segments[0] : segments.at(-1);
  if (!segment) return "";
  const text = formatElapsed(side === "from" ? segment.fromMs : segment.toMs);
  return isForecast ? `~${text}` : text;
}
