import type { StepId } from "../../../plan/index.ts";
import {
  clusterCount,
  groupOrder,
  groupTitles,
  laneLabel,
  pathOf,
  type RunState,
  type StepState,
  subjectCount,
  type SubjectState,
} from "../../../views/index.ts";

export interface Segment {
  startMs: number;
  endMs: number;
  isCritical: boolean;
}

/** One row of the chart: a subject on the critical path, or the rest of a group. */
export interface Lane {
  label: string;
  segments: Segment[];
  /** What the time at the right edge counts. */
  tookMs: number;
}

const mostLanes = 12;
/** What is off the path and shorter than this part of the run is not worth a row. */
const leastShare = 0.02;

export function timelineLanes(state: RunState, tookMs: number): Lane[] {
  const path = new Set(pathOf(state));
  const subjects = groupOrder.flatMap((key) => state.groups.get(key)?.subjects ?? []).filter(hasTimes);
  const critical = subjects.filter((subject) => subject.steps.some((step) => path.has(step.planned.id)));
  const isAlone = clusterCount(state) < 2;
  const rows = critical.map((subject) => ({ subject, lane: criticalLane(subject, path, isAlone) }));
  const verify = verifyLane(state);
  const rest = (shown: Set<SubjectState>) =>
    restLanes(
      subjects.filter((subject) => !shown.has(subject)),
      isAlone,
    ).filter((lane) => lane.tookMs >= tookMs * leastShare);
  let shown = rows;
  const count = () => shown.length + rest(new Set(shown.map((row) => row.subject))).length + (verify ? 1 : 0);
  while (count() > mostLanes && shown.length > 1) {
    const shortest = shown.reduce((a, b) => (b.lane.tookMs < a.lane.tookMs ? b : a));
    shown = shown.filter((row) => row !== shortest);
  }
  const lanes = [
    ...shown.map((row) => row.lane),
    ...rest(new Set(shown.map((row) => row.subject))),
    ...(verify ? [verify] : []),
  ];
  return lanes.toSorted((a, b) => startOf(a) - startOf(b)).slice(0, mostLanes);
}

const startOf = (lane: Lane): number => Math.min(...lane.segments.map((segment) => segment.startMs));

const hasTimes = (subject: SubjectState): boolean =>
  subject.startedMs !== undefined && subject.endedMs !== undefined;

/** Several clusters may each have a cp-1. */
const labelOf = (subject: SubjectState, step: StepState, isAlone: boolean): string =>
  `${isAlone ? "" : `${step.planned.cluster} `}${titleOf(subject, step)}`;

function criticalLane(subject: SubjectState, path: Set<StepId>, isAlone: boolean): Lane {
  const segments = subject.steps.flatMap((step): Segment[] =>
    step.startedMs === undefined || step.endedMs === undefined
      ? []
      : [{ startMs: step.startedMs, endMs: step.endedMs, isCritical: path.has(step.planned.id) }],
  );
  const critical = segments.filter((segment) => segment.isCritical);
  const [step] = subject.steps;
  return {
    label: step ? labelOf(subject, step, isAlone) : subject.label,
    segments,
    tookMs:
      Math.max(...critical.map(({ endMs }) => endMs)) - Math.min(...critical.map(({ startMs }) => startMs)),
  };
}

function restLanes(subjects: SubjectState[], isAlone: boolean): Lane[] {
  return groupOrder.flatMap((key): Lane[] => {
    const members = subjects.filter((subject) => subject.group.key === key);
    const [first] = members;
    if (!first) return [];
    const startMs = Math.min(...members.map((subject) => subject.startedMs ?? 0));
    const endMs = Math.max(...members.map((subject) => subject.endedMs ?? 0));
    const [step] = first.steps;
    const several = key === "secrets" ? groupTitles.secrets : subjectCount(key, members.length);
    const label = step && members.length === 1 ? labelOf(first, step, isAlone) : several;
    return [{ label, segments: [{ startMs, endMs, isCritical: false }], tookMs: endMs - startMs }];
  });
}

/** What is written at home stands beside `Secrets`, the title of all of it, and looks like it. */
function titleOf({ group }: SubjectState, { planned }: StepState): string {
  const label = laneLabel(planned);
  return group.key === "secrets" ? label.charAt(0).toUpperCase() + label.slice(1) : label;
}

function verifyLane(state: RunState): Lane | undefined {
  const tally = state.checks.get("verify");
  if (!tally) return undefined;
  const { beganMs, endedMs } = tally;
  return {
    label: "Verify",
    segments: [{ startMs: beganMs, endMs: endedMs, isCritical: true }],
    tookMs: endedMs - beganMs,
  };
}
