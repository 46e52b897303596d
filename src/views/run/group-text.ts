import type { GroupKey, GroupState, RunState, StepState, SubjectState } from "./run-state.ts";
import { formatBytes, formatCount, formatNumber, listNames } from "../format.ts";

/** As they stand on the screen, top to bottom. */
export const groupOrder: GroupKey[] = ["secrets", "seeds", "images", "nodes", "cluster", "addons"];

export const groupTitles: Record<GroupKey, string> = {
  secrets: "Secrets",
  seeds: "Seeds",
  images: "Images",
  nodes: "Nodes",
  cluster: "Cluster",
  addons: "Add-ons",
};

const nouns: Record<GroupKey, string> = {
  secrets: "secret",
  seeds: "seed",
  images: "image",
  nodes: "node",
  cluster: "part",
  addons: "add-on",
};

export const subjectCount = (key: GroupKey, count: number): string => formatNumber(count, nouns[key]);

/** The step of a subject that a person would ask about now. */
export function currentStep(subject: SubjectState): StepState | undefined {
  return (
    subject.steps.find((step) => step.status === "failed") ??
    subject.steps.find((step) => step.status === "waiting") ??
    subject.steps.find((step) => step.status === "running") ??
    subject.steps.find((step) => step.status === "queued") ??
    subject.steps.find((step) => step.status === "skipped")
  );
}

/** What a finished group leaves on the screen: `3 of 3, 1.3 GiB each`. */
export function resultOfGroup(group: GroupState): string {
  const all = group.subjects.length;
  const done = formatCount(group.counts.done, all);
  const isRemoval = group.subjects.every((subject) =>
    subject.steps.every((step) => step.planned.action === "remove"),
  );
  if (isRemoval) return `${done} removed`;
  const isMove = group.subjects.every((subject) =>
    subject.steps.some((step) => step.planned.kind.endsWith("/move")),
  );
  if (isMove) return `${done} moved`;
  switch (group.key) {
    case "secrets":
      return secretsText(group);
    case "seeds":
      return `${done} uploaded`;
    case "images":
      return imageText(group);
    case "nodes":
      return `${done} configured`;
    case "cluster":
    case "addons":
      return group.counts.done === all ? listNames(labels(group), 6) : done;
  }
}

function secretsText(group: GroupState): string {
  if (group.counts.done < group.subjects.length) return formatCount(group.counts.done, group.subjects.length);
  const folders = new Set(
    group.subjects.flatMap((subject) => subject.steps.flatMap((step) => step.out?.["folder"] ?? [])),
  );
  return folders.size === 0 ? "made once" : `made once, in ${listNames([...folders].map(String))}`;
}

/** What the images are made of stands among them, on no host, and is not counted. */
function imageText(group: GroupState): string {
  const images = group.subjects.filter((subject) =>
    subject.steps.some((step) => step.planned.host !== undefined),
  );
  const done = images.filter((subject) => subject.status === "done").length;
  return `${formatCount(done, images.length)}${sizeText(images)}`;
}

function sizeText(images: SubjectState[]): string {
  const sizes = new Set(
    images.flatMap((subject) =>
      subject.steps.flatMap((step) => (step.progress?.unit === "bytes" ? step.progress.total : [])),
    ),
  );
  const [size] = sizes;
  if (size === undefined || sizes.size > 1) return "";
  return `, ${formatBytes(size)}${images.length > 1 ? " each" : ""}`;
}

export const labels = (group: GroupState): string[] => group.subjects.map((subject) => subject.label);

/** What a group that has not begun will do, and what it is waiting for. */
export function pendingText(group: GroupState, state: RunState): string {
  const names =
    group.key === "nodes" ? formatNumber(group.subjects.length, "machine") : listNames(labels(group), 4);
  const blockers = activeBlockers(group, state);
  const [first] = blockers;
  if (first === undefined) return names;
  if (group.key === "nodes" && first.group.key === "images") {
    const best = blockers.reduce((a, b) => (fractionOf(b) > fractionOf(a) ? b : a));
    const waiting = group.subjects.filter((subject) => isBehind(subject, best)).map(({ label }) => label);
    return `${names}; ${listNames(waiting)} as soon as ${best.label} has its image`;
  }
  return blockers.length === 1 ? `${names}: after ${inText(first)}` : names;
}

const inText = ({ label, steps }: SubjectState): string => steps[0]?.planned.face.inText ?? label;

/** Subjects of other groups that are at work and that this group needs. */
function activeBlockers(group: GroupState, state: RunState): SubjectState[] {
  const found = new Set<SubjectState>();
  for (const subject of group.subjects) {
    for (const step of subject.steps) {
      for (const id of step.planned.after) {
        const needed = state.steps.get(id);
        if (
          needed &&
          needed.subject.group !== group &&
          needed.subject.status !== "done" &&
          needed.startedMs !== undefined
        ) {
          found.add(needed.subject);
        }
      }
    }
  }
  return [...found];
}

const isBehind = (subject: SubjectState, blocker: SubjectState): boolean =>
  subject.steps.some((step) =>
    step.planned.after.some((id) => blocker.steps.some((own) => own.planned.id === id)),
  );

function fractionOf(subject: SubjectState): number {
  const progress = subject.steps[0]?.progress;
  return progress && progress.total > 0 ? progress.done / progress.total : 0;
}

/** Why a subject was skipped: `needs cp-3, worker-3`, or what held it. */
export const skippedText = (subject: SubjectState, state: RunState): string =>
  subject.steps.find(({ held }) => held !== undefined)?.held ?? `needs ${neededBy(subject, state)}`;

/** What failed below a skipped subject, or was held there: `cp-3, worker-3`. */
function neededBy(subject: SubjectState, state: RunState): string {
  const roots = new Set<string>();
  const seen = new Set<StepState>();
  const walk = (step: StepState): void => {
    if (seen.has(step)) return;
    seen.add(step);
    if (step.status === "failed" || step.held !== undefined) roots.add(step.subject.label);
    if (step.status !== "skipped") return;
    const ids = [...step.planned.after, ...(step.because === undefined ? [] : [step.because])];
    for (const id of ids) {
      const needed = state.steps.get(id);
      if (needed) walk(needed);
    }
  };
  for (const step of subject.steps) walk(step);
  return listNames([...roots]);
}
