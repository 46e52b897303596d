import { clusterOfStep, nameOfStep, type PlannedStep, type StepId } from "../../plan/index.ts";
import {
  clusterCount,
  noCounts,
  type GroupKey,
  type GroupState,
  type RunState,
  type StepState,
  type SubjectState,
} from "./run-state.ts";

/** Gives a planned step its place in the tree; a step that is known keeps what happened to it. */
export function addStep(state: RunState, planned: PlannedStep): StepState {
  const known = state.steps.get(planned.id);
  if (known) {
    known.planned = planned;
    return known;
  }
  const group = groupOf(state, planned.face.section ?? planned.group);
  const subject = subjectOf(group, planned, clusterCount(state) > 1);
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
  const made: GroupState = { key, subjects: [], subjectOf: new Map(), counts: noCounts(), overCount: 0 };
  state.groups.set(key, made);
  return made;
}

/** Steps of one node make one subject. Several clusters may each have a cp-1, so theirs are named with the cluster. */
function subjectOf(group: GroupState, planned: PlannedStep, isOneOfMany: boolean): SubjectState {
  const key = planned.node === undefined ? planned.id : `${planned.cluster}/${planned.node}`;
  const known = group.subjectOf.get(key);
  if (known) return known;
  const made: SubjectState = {
    label: isOneOfMany ? `${planned.cluster}/${planned.face.label}` : planned.face.label,
    group,
    steps: [],
    counts: noCounts(),
    status: "pending",
    isOver: false,
    host: planned.host,
  };
  group.subjectOf.set(key, made);
  group.subjects.push(made);
  group.counts.pending++;
  return made;
}

/** A step told without a plan still gets its line. */
export const stepWithoutPlan = (id: StepId): PlannedStep => ({
  id,
  title: nameOfStep(id),
  kind: "",
  face: { noun: "step", label: nameOfStep(id) },
  action: "create",
  consequence: "create",
  group: "cluster",
  after: [],
  cluster: clusterOfStep(id),
});

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
