import type { Group, PlannedStep, StepId } from "../../plan/index.ts";
import {
  noCounts,
  type GroupKey,
  type GroupState,
  type RunState,
  type StepState,
  type SubjectState,
} from "./run-state.ts";
import { kindNoun, lastPart, subjectLabel } from "./step-name.ts";

/** Gives a planned step its place in the tree; a step that is known keeps what happened to it. */
export function addStep(state: RunState, planned: PlannedStep): StepState {
  const known = state.steps.get(planned.id);
  if (known) {
    known.planned = planned;
    return known;
  }
  const group = groupOf(state, groupKey(planned));
  const subject = subjectOf(group, planned);
  const step: StepState = { planned, subject, status: "pending", waitedMs: 0, queuedMs: 0, behind: [] };
  subject.steps.push(step);
  subject.counts.pending++;
  state.counts.pending++;
  state.steps.set(planned.id, step);
  refreshSubject(subject);
  return step;
}

function groupOf(state: RunState, key: GroupKey): GroupState {
  const known = state.groups.get(key);
  if (known) return known;
  const made: GroupState = { key, subjects: [], counts: noCounts(), overCount: 0 };
  state.groups.set(key, made);
  return made;
}

/** Steps of one node make one subject; there are far fewer groups than subjects, so the index stands there. */
const subjectIndex = new WeakMap<GroupState, Map<string, SubjectState>>();

function subjectOf(group: GroupState, planned: PlannedStep): SubjectState {
  const index = subjectIndex.get(group) ?? new Map<string, SubjectState>();
  subjectIndex.set(group, index);
  const key = planned.node === undefined ? planned.id : `${planned.cluster}/${planned.node}`;
  const known = index.get(key);
  if (known) return known;
  const made: SubjectState = {
    label: subjectLabel(planned),
    group,
    steps: [],
    counts: noCounts(),
    status: "pending",
    isOver: false,
    ...(planned.host !== undefined && { host: planned.host }),
  };
  index.set(key, made);
  group.subjects.push(made);
  group.counts.pending++;
  return made;
}

function groupKey(planned: PlannedStep): GroupKey {
  const noun = kindNoun(planned.kind);
  // What is written at home, beside the file, stands together.
  if (noun === "secrets" || noun === "access") return "secrets";
  if (noun === "seed") return "seeds";
  return planned.group;
}

const groupsByKind: Record<string, Group> = { image: "images", machine: "nodes", addon: "addons" };

/** A step told without a plan still gets its line. */
export function plannedFromId(id: StepId): PlannedStep {
  const parts = id.split("/");
  const kind = parts.length > 1 ? (parts.at(-2) ?? "") : "";
  return {
    id,
    title: lastPart(id),
    kind,
    action: "create",
    consequence: "create",
    group: groupsByKind[kind] ?? "cluster",
    after: [],
    cluster: parts[0] ?? "",
  };
}

/** A subject is as its worst or busiest step. */
export function refreshSubject(subject: SubjectState): void {
  const { counts } = subject;
  const before = subject.status;
  if (counts.failed > 0) subject.status = "failed";
  else if (counts.waiting > 0) subject.status = "waiting";
  else if (counts.running > 0) subject.status = "running";
  else if (counts.queued > 0) subject.status = "queued";
  else if (counts.pending > 0) subject.status = "pending";
  else subject.status = counts.skipped > 0 ? "skipped" : "done";
  subject.group.counts[before]--;
  subject.group.counts[subject.status]++;
  const wasOver = subject.isOver;
  subject.isOver = counts.pending + counts.queued + counts.running + counts.waiting === 0;
  subject.group.overCount += Number(subject.isOver) - Number(wasOver);
}
