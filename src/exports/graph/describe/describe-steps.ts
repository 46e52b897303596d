import type { Change, Face, GraphNode, Plan } from "../../../plan/index.ts";
import { planEvent } from "../../../plan/index.ts";
import type { PlanMark, Source, Step, StepsDiagram } from "../model.ts";

/** What would be done, in which order. What is left alone is in no picture. */
export function describeSteps(from: Source, shown: string[], plan: Plan): StepsDiagram {
  const ids = new Set(plan.changes.map(({ node }) => node.id));
  const notes = new Map(plan.changes.map((change) => [change.node.id, noteOf(change)]));
  const steps = planEvent(plan).steps.map((step): Step => {
    const note = notes.get(step.id);
    return {
      id: step.id,
      title: step.title,
      ...namesOf(step.face),
      cluster: step.cluster,
      host: step.host,
      node: step.node,
      after: step.after.filter((id) => ids.has(id)),
      mark: from === "file" ? undefined : actionMarks[step.action],
      note,
      usualMs: step.usualMs,
    };
  });
  return { view: "steps", from, shown, steps };
}

export const actionMarks: Record<Change["action"], PlanMark> = {
  create: "create",
  update: "change",
  replace: "replace",
  remove: "remove",
};

/** `reboot, memory 8 GiB → 12 GiB`: what follows from a change, and what it is. */
export function noteOf({ action, consequence, fields }: Change): string | undefined {
  if (action === "create" || action === "remove") return undefined;
  const differences = fields.map(({ field, from, to }) => `${field} ${from} → ${to}`).join(", ");
  const what = consequence === "replace" ? "" : consequence;
  return [what, differences].filter((part) => part !== "").join(", ") || undefined;
}

function namesOf({ noun, plural, label }: Face): Pick<Step, "noun" | "plural" | "label"> {
  // A word that is written otherwise than a kind can be.
  const shown = noun === "addon" ? "add-on" : noun;
  return { noun: shown, plural: plural ?? (shown.endsWith("s") ? shown : `${shown}s`), label };
}

/** The steps that make everything the graph holds, where nothing is there yet. */
export const planFromNothing = (graph: GraphNode[], faceOf: (node: GraphNode) => Face): Plan => ({
  changes: graph.map((node) => ({
    node,
    face: faceOf(node),
    action: "create",
    consequence: "create",
    fields: [],
    have: undefined,
  })),
  same: [],
  refused: [],
  found: {},
});
