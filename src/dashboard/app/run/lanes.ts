import { groupBy } from "../../../lib/index.ts";
import type { StepId } from "../../../plan/index.ts";
import {
  actionText,
  clusterCount,
  formatNumber,
  groupOrder,
  laneLabel,
  type CheckTally,
  type GroupKey,
  type RunState,
  type StepState,
  type StepStatus,
} from "../../../views/index.ts";
import { expectedPath, placeSteps, type Span } from "./forecast.ts";

export type SegmentKind = "done" | "live" | "queue" | "failed" | "forecast";

export interface Segment extends Span {
  kind: SegmentKind;
  isCritical: boolean;
  text: string;
}

/** One row of the timeline: a node, an image on a host, a part of the cluster, or many of them folded into one. */
export interface Lane {
  key: string;
  label: string;
  /** What stands small beside it: a host, a count. */
  aside: string;
  status: StepStatus;
  segments: Segment[];
  /** Undefined where nothing is known of its time. */
  tookMs: number | undefined;
  isForecast: boolean;
  node?: string | undefined;
  host?: string | undefined;
  /** The first of its group, below a line. */
  isFirst: boolean;
  /** How many it stands for, when folded. */
  folded?: number;
}

export interface Timeline {
  lanes: Lane[];
  path: StepId[];
  placed: Map<StepId, Span>;
  /** Where the chart ends. */
  endMs: number;
}

/** More lanes than this are folded: what is critical or in trouble stays, the rest is one lane per host. */
const mostLanes = 24;

export function timelineOf(
  state: RunState,
  nowMs: number,
  openHosts: ReadonlySet<string> = new Set(),
): Timeline {
  const placed = placeSteps(state, nowMs);
  const path = expectedPath(state, placed);
  const critical = new Set(path);
  const lanes = [
    ...checkLane(state, "preflight", "Preflight", nowMs),
    ...stepLanes(state, placed, critical, nowMs),
    ...checkLane(state, "verify", "Verify", nowMs),
  ];
  const ends = lanes.flatMap(({ segments }) => segments.map(({ toMs }) => toMs));
  const endMs = Math.max(1000, state.done?.tookMs ?? nowMs, ...ends);
  return { lanes: foldLanes(lanes, openHosts), path, placed, endMs };
}

/** The steps of one node, a lane each. */
export function nodeTimeline(state: RunState, nowMs: number, steps: readonly StepState[]): Timeline {
  const placed = placeSteps(state, nowMs);
  const path = expectedPath(state, placed);
  const context = { placed, critical: new Set(path), nowMs, isAlone: true };
  const lanes = steps.flatMap((step) =>
    laneOf(step.planned.id, [step], context).map((lane) => ({
      ...lane,
      label: upperFirst(actionText(step)),
      aside: "",
      node: undefined,
    })),
  );
  const ends = lanes.flatMap(({ segments }) => segments.map(({ toMs }) => toMs));
  return { lanes, path, placed, endMs: Math.max(1000, nowMs, ...ends) };
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function checkLane(state: RunState, phase: string, label: string, nowMs: number): Lane[] {
  const tally = state.checks.get(phase);
  if (!tally) return [];
  const status = statusOfChecks(tally);
  // Nothing that takes no time would be seen.
  const toMs = Math.min(Math.max(nowMs, tally.endedMs), Math.max(tally.endedMs, tally.beganMs + 1));
  return [
    {
      key: `checks/${phase}`,
      label,
      aside: formatNumber(tally.checks.length, "check"),
      status,
      segments: [
        {
          fromMs: tally.beganMs,
          toMs,
          kind: status === "failed" ? "failed" : "done",
          isCritical: false,
          text: "",
        },
      ],
      tookMs: tally.endedMs - tally.beganMs,
      isForecast: false,
      isFirst: false,
    },
  ];
}

const statusOfChecks = ({ checks }: CheckTally): StepStatus =>
  checks.some(({ status }) => status === "failed") ? "failed" : "done";

/** Seeds are made for nodes and stand in their lanes; secrets are one. */
const shownIn: Partial<Record<GroupKey, GroupKey>> = { seeds: "nodes" };

function stepLanes(
  state: RunState,
  placed: Map<StepId, Span>,
  critical: ReadonlySet<StepId>,
  nowMs: number,
): Lane[] {
  const isAlone = clusterCount(state) < 2;
  return groupOrder.flatMap((key) => {
    if (shownIn[key] !== undefined) return [];
    const keys = groupOrder.filter((other) => other === key || shownIn[other] === key);
    const bySubject = new Map<string, StepState[]>();
    for (const subject of keys.flatMap((each) => state.groups.get(each)?.subjects ?? [])) {
      const [first] = subject.steps;
      if (!first) continue;
      const { node, cluster, id } = first.planned;
      const lane = key === "secrets" ? "secrets" : node === undefined ? id : `${cluster}/${node}`;
      bySubject.set(lane, [...(bySubject.get(lane) ?? []), ...subject.steps]);
    }
    return [...bySubject]
      .flatMap(([lane, steps]) => laneOf(lane, steps, { placed, critical, nowMs, isAlone }))
      .map((lane, index) => ({ ...lane, isFirst: index === 0 }));
  });
}

interface Context {
  placed: Map<StepId, Span>;
  critical: ReadonlySet<StepId>;
  nowMs: number;
  isAlone: boolean;
}

function laneOf(key: string, steps: StepState[], context: Context): Lane[] {
  // A node's lane is named by what it is, not by the seed that was made for it first.
  const main = steps.find((step) => step.subject.group.key !== "seeds") ?? steps[0];
  if (!main) return [];
  const { host, node, cluster } = main.planned;
  const own =
    key === "secrets" ? "Secrets" : node === undefined ? laneLabel(main.planned) : main.subject.label;
  const name = context.isAlone ? own : `${cluster} ${own}`;
  const isOnHost = host !== undefined && name.endsWith(` ${host}`);
  const segments = steps.flatMap((step) => segmentsOf(step, context)).toSorted((a, b) => a.fromMs - b.fromMs);
  const status = worstStatus(steps);
  const isForecast = segments.every(({ kind }) => kind === "forecast");
  return [
    {
      key,
      label: isOnHost ? name.slice(0, -host.length - 1) : name,
      aside: key === "secrets" ? "" : (host ?? ""),
      status,
      segments,
      tookMs: tookOf(segments.filter(({ kind }) => isForecast || kind !== "forecast")),
      isForecast,
      node,
      host,
      isFirst: false,
    },
  ];
}

/** From where it was worked on without a pause until its end: a seed made long before does not count. */
function tookOf(segments: readonly Segment[]): number | undefined {
  const worked = segments.filter(({ kind }) => kind !== "queue");
  const last = worked.at(-1);
  if (!last) return undefined;
  let fromMs = last.fromMs;
  for (const segment of worked.toReversed()) {
    if (segment.toMs < fromMs - pauseMs) break;
    fromMs = Math.min(fromMs, segment.fromMs);
  }
  return last.toMs - fromMs;
}

const pauseMs = 1500;

function segmentsOf(step: StepState, { placed, critical, nowMs }: Context): Segment[] {
  const span = placed.get(step.planned.id);
  if (!span) return [];
  const isCritical = critical.has(step.planned.id);
  const text =
    step.wait && step.status === "waiting" ? (step.wait.lastSeen ?? actionText(step)) : actionText(step);
  const part = (fromMs: number, toMs: number, kind: SegmentKind): Segment[] =>
    toMs > fromMs || kind === "done" ? [{ fromMs, toMs, kind, isCritical, text }] : [];
  if (step.startedMs === undefined) return part(span.fromMs, span.toMs, "forecast");
  if (step.status === "queued") return part(step.startedMs, nowMs, "queue");
  // Behind a lock at first: the work itself is what is left of it.
  const workMs = Math.min(span.toMs, step.startedMs + step.queuedMs);
  const queue = step.queuedMs > 0 ? part(step.startedMs, workMs, "queue") : [];
  if (step.endedMs !== undefined) {
    return [...queue, ...part(workMs, span.toMs, step.status === "failed" ? "failed" : "done")];
  }
  return [...queue, ...part(workMs, nowMs, "live"), ...part(nowMs, span.toMs, "forecast")];
}

const worstFirst: StepStatus[] = ["failed", "waiting", "running", "queued", "pending", "skipped", "done"];

const worstStatus = (steps: readonly { status: StepStatus }[]): StepStatus =>
  worstFirst.find((status) => steps.some((step) => step.status === status)) ?? "pending";

function foldLanes(lanes: Lane[], openHosts: ReadonlySet<string>): Lane[] {
  if (lanes.length <= mostLanes) return lanes;
  const isCritical = ({ segments }: Lane): boolean => segments.some((segment) => segment.isCritical);
  const troubled = lanes
    .filter(({ status }) => status === "failed" || status === "waiting")
    .slice(0, mostTroubled);
  const stays = new Set(
    lanes.filter((lane) => lane.node === undefined || isCritical(lane) || troubled.includes(lane)),
  );
  const byHost = groupBy(
    lanes.filter((lane) => !stays.has(lane)),
    ({ host }) => host ?? "",
  );
  const shownHosts = [...byHost].slice(0, mostHosts);
  const rest = [...byHost].slice(mostHosts).flatMap(([, folded]) => folded);
  const folds = shownHosts.flatMap(([host, folded]) => [
    foldedLane(`host/${host}`, host === "" ? "Others" : host, folded),
    ...(openHosts.has(`host/${host}`) ? folded.map((lane) => ({ ...lane, isFirst: false })) : []),
  ]);
  if (rest.length > 0) {
    const hosts = byHost.size - mostHosts;
    folds.push(foldedLane("host/*", formatNumber(hosts, "more host"), rest));
  }
  const kept = lanes.filter((lane) => stays.has(lane));
  const at = kept.findLastIndex((lane) => lane.node !== undefined || lane.host !== undefined) + 1;
  return kept.toSpliced(at, 0, ...folds);
}

const mostTroubled = 8;
const mostHosts = 16;

function foldedLane(key: string, label: string, lanes: Lane[]): Lane {
  const segments = lanes.flatMap((lane) => lane.segments);
  const spans = (["done", "live", "forecast"] as const).flatMap((kind): Segment[] => {
    const own = segments.filter(
      (segment) => segment.kind === kind || (kind === "done" && segment.kind === "failed"),
    );
    if (own.length === 0) return [];
    const fromMs = Math.min(...own.map((segment) => segment.fromMs));
    const toMs = Math.max(...own.map((segment) => segment.toMs));
    return [{ fromMs, toMs, kind, isCritical: false, text: "" }];
  });
  const done = lanes.filter(({ status }) => status === "done").length;
  return {
    key,
    label,
    aside: `${done} of ${lanes.length}`,
    status: worstStatus(lanes),
    segments: spans,
    tookMs: tookOf(spans.filter(({ kind }) => kind !== "forecast")),
    isForecast: false,
    isFirst: false,
    folded: lanes.length,
  };
}
