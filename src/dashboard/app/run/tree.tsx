import type { JSX } from "preact";
import {
  actionText,
  currentStep,
  formatCount,
  formatElapsed,
  groupOrder,
  groupTitles,
  isOver,
  skippedText,
  pendingText,
  progressText,
  queueText,
  resultOfGroup,
  shortStep,
  clusterCount,
  waitText,
  type GroupState,
  type RunState,
  type StepStatus,
  type SubjectState,
} from "../../../views/index.ts";
import { Icon, shapeOfStep } from "../parts/icon.tsx";

/** The run as the terminal shows it: a line per group, and below it only what is not done. */
export function Tree({ state, nowMs }: { state: RunState; nowMs: number }): JSX.Element {
  const groups = groupOrder.flatMap((key) => state.groups.get(key) ?? []);
  if (groups.length === 0) return <p class="body mute">Nothing is planned yet.</p>;
  return (
    <ul class="tree">
      {groups.map((group) => (
        <GroupLine key={group.key} group={group} state={state} nowMs={nowMs} />
      ))}
    </ul>
  );
}

const worstFirst: StepStatus[] = ["failed", "waiting", "running", "queued", "skipped", "pending", "done"];
const mostShown = 8;

function GroupLine({
  group,
  state,
  nowMs,
}: {
  group: GroupState;
  state: RunState;
  nowMs: number;
}): JSX.Element {
  const status = groupStatus(group);
  const open = group.subjects
    .filter((subject) => subject.status !== "done" && subject.status !== "pending")
    .toSorted((a, b) => rank(a) - rank(b) || (a.startedMs ?? 0) - (b.startedMs ?? 0));
  const more = open.length - mostShown;
  const isBegun = group.startedMs !== undefined;
  const text = isOver(group)
    ? resultOfGroup(group)
    : isBegun
      ? formatCount(group.counts.done, group.subjects.length)
      : state.done || state.failures.length > 0
        ? "not begun"
        : pendingText(group, state);
  const tookMs = isBegun
    ? (isOver(group) ? (group.endedMs ?? nowMs) : nowMs) - (group.startedMs ?? 0)
    : undefined;
  return (
    <li>
      <div>
        <Icon shape={shapeOfStep[status]} />
        {groupTitles[group.key]}
        <span>{text}</span>
        <small class="dur">{tookMs === undefined ? "" : formatElapsed(tookMs)}</small>
      </div>
      {open.length > 0 && (
        <ul>
          {open.slice(0, mostShown).map((subject) => (
            <SubjectLine key={subject.steps[0]?.planned.id} subject={subject} state={state} nowMs={nowMs} />
          ))}
          {more > 0 && (
            <li class="mute">
              <span />
              <span>and {more} more</span>
            </li>
          )}
        </ul>
      )}
    </li>
  );
}

const rank = ({ status }: SubjectState): number => worstFirst.indexOf(status);

const groupStatus = ({ counts }: GroupState): StepStatus =>
  worstFirst.find((status) => status !== "pending" && status !== "done" && counts[status] > 0) ??
  (counts.pending > 0 ? (counts.done > 0 ? "running" : "pending") : "done");

interface SubjectLineProps {
  subject: SubjectState;
  state: RunState;
  nowMs: number;
}

function SubjectLine({ subject, state, nowMs }: SubjectLineProps): JSX.Element {
  const step = currentStep(subject);
  const tookMs = step?.startedMs === undefined ? undefined : (step.endedMs ?? nowMs) - step.startedMs;
  return (
    <li>
      <Icon shape={shapeOfStep[subject.status]} />
      <span>{subject.label}</span>
      <span>{subjectText(subject, state)}</span>
      <small class="dur">{tookMs === undefined ? "" : formatElapsed(tookMs)}</small>
    </li>
  );
}

function subjectText(subject: SubjectState, state: RunState): string {
  const step = currentStep(subject);
  if (!step) return "";
  const nameOf = (id: string): string => shortStep(id, clusterCount(state));
  switch (step.status) {
    case "failed":
      return step.error ? `${step.error.what}: ${step.error.why}` : "failed";
    case "skipped":
      return `skipped: ${skippedText(subject, state)}`;
    case "waiting":
      return step.wait ? [waitText(step.wait), step.wait.lastSeen].filter(Boolean).join("; ") : "waits";
    case "queued":
      return step.queue ? queueText(step.queue, nameOf) : "queued";
    case "running":
      return [actionText(step), ...(step.progress ? progressText(step.progress) : [])].join("  ");
    case "pending":
    case "done":
      return "";
  }
}
