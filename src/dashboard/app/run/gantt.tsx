import type { JSX } from "preact";
import { formatDuration, formatElapsed } from "../../../views/index.ts";
import { writeRoute } from "../data/route.ts";
import { Icon, shapeOfStep } from "../parts/icon.tsx";
import type { Lane, Segment, Timeline } from "./lanes.ts";

export interface GanttProps {
  timeline: Timeline;
  nowMs: number;
  isOver: boolean;
  cluster: string;
  /** Called with the key of a folded lane. */
  onFold?: ((key: string) => void) | undefined;
}

const tickSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400];

/** What the time goes into: the critical path solid and joined, the rest pale, what is expected dashed. */
export function Gantt(props: GanttProps): JSX.Element {
  const { timeline, nowMs, isOver } = props;
  const { lanes, endMs } = timeline;
  const seconds = tickSteps.find((step) => endMs / 1000 / step <= 7) ?? 604_800;
  const ticks = Array.from(
    { length: Math.floor(endMs / 1000 / seconds) + 1 },
    (_, index) => index * seconds * 1000,
  );
  const nearNow = (ms: number): number => Math.abs(ms - nowMs) / (seconds * 1000);
  return (
    <div class="gantt">
      <div class="axis" aria-hidden="true">
        {ticks.map((ms) => (
          <span
            key={ms}
            class={nearNow(ms) < 2.2 ? "near" : ""}
            style={at(ms, endMs)}
            hidden={Math.abs(ms - nowMs) / endMs < 0.17}
          >
            {ms === 0 ? "0s" : formatElapsed(ms)}
          </span>
        ))}
        <span class={nowMs / endMs > 0.94 ? "now at-end" : "now"} style={at(nowMs, endMs)}>
          {isOver ? "ended" : "now"} {formatElapsed(nowMs)}
        </span>
      </div>
      <div class="lanes">
        <div class="grid" aria-hidden="true">
          {ticks.map((ms) => (
            <i key={ms} style={at(ms, endMs)} />
          ))}
          <i class="now" style={at(nowMs, endMs)} />
          <Joints timeline={timeline} />
        </div>
        <div role="table" aria-label="Timeline of the run">
          {lanes.map((lane) => (
            <LaneRow key={lane.key} lane={lane} {...props} />
          ))}
        </div>
      </div>
    </div>
  );
}

const at = (ms: number, endMs: number): { left: string } => ({
  left: `${((ms / endMs) * 100).toFixed(3)}%`,
});

function LaneRow({ lane, timeline, cluster, onFold }: GanttProps & { lane: Lane }): JSX.Element {
  const { endMs } = timeline;
  const kinds = [lane.isFirst ? "first" : "", lane.node === undefined ? "keep" : ""].join(" ");
  return (
    <div class={`lane ${kinds}`} role="row">
      <div class="lab" role="rowheader">
        <Icon shape={shapeOfStep[lane.status]} />
        <LaneName lane={lane} cluster={cluster} onFold={onFold} />
      </div>
      <div class="track" role="cell">
        {lane.segments.map((segment, index) => (
          <Bar key={index} segment={segment} lane={lane} endMs={endMs} />
        ))}
      </div>
      <div class={lane.isForecast || lane.status === "skipped" ? "dur mute" : "dur"} role="cell">
        {timeText(lane)}
      </div>
    </div>
  );
}

function LaneName({
  lane,
  cluster,
  onFold,
}: Pick<GanttProps, "cluster" | "onFold"> & { lane: Lane }): JSX.Element {
  const text = (
    <>
      {lane.label} {lane.aside !== "" && <small>{lane.aside}</small>}
    </>
  );
  if (lane.folded !== undefined) {
    return (
      <button type="button" onClick={() => onFold?.(lane.key)}>
        {text}
      </button>
    );
  }
  if (lane.node === undefined) return <span>{text}</span>;
  return <a href={writeRoute({ cluster, screen: "nodes", node: lane.node })}>{text}</a>;
}

function timeText(lane: Lane): string {
  if (lane.status === "skipped") return "skipped";
  if (lane.tookMs === undefined) return "";
  return lane.isForecast ? `~${formatElapsed(lane.tookMs)}` : formatElapsed(lane.tookMs);
}

/** A text that would be cut says nothing: it stands in the title then. */
const charactersPerTrack = 56;

function Bar({ segment, lane, endMs }: { segment: Segment; lane: Lane; endMs: number }): JSX.Element {
  const { fromMs, toMs, kind, isCritical, text } = segment;
  const share = (toMs - fromMs) / endMs;
  const isShown = kind !== "queue" && kind !== "forecast" && text.length + 2 <= share * charactersPerTrack;
  const kinds = [kind, isCritical ? "crit" : "", isShown ? "" : "bare"].join(" ");
  const said = `${lane.label}: ${kind === "queue" ? "queued for a lock" : text || kind}, ${formatDuration(toMs - fromMs)}`;
  return (
    <span
      class={`seg-bar ${kinds}`}
      style={{ ...at(fromMs, endMs), width: `${(share * 100).toFixed(3)}%` }}
      title={said}
    >
      {isShown ? text : <span class="vh">{said}</span>}
    </span>
  );
}

/** Lines from one segment of the critical path to the next. */
function Joints({ timeline: { lanes, endMs } }: { timeline: Timeline }): JSX.Element {
  const row = 25;
  const segments = lanes
    .flatMap((lane, index) =>
      lane.segments.filter(({ isCritical }) => isCritical).map((segment) => ({ segment, index })),
    )
    .toSorted((a, b) => a.segment.fromMs - b.segment.fromMs);
  return (
    <svg viewBox={`0 0 100 ${Math.max(1, lanes.length * row)}`} preserveAspectRatio="none">
      {segments.slice(1).flatMap(({ segment, index }, position) => {
        const before = segments[position];
        if (!before || before.index === index) return [];
        const x = ((segment.fromMs / endMs) * 100).toFixed(3);
        const isDown = index > before.index;
        const from = before.index * row + (isDown ? row - 5 : 5);
        const to = index * row + (isDown ? 5 : row - 5);
        return (
          <path
            key={`${position}`}
            class={segment.kind === "forecast" ? "fc" : ""}
            d={`M${x} ${from}V${to}`}
          />
        );
      })}
    </svg>
  );
}
