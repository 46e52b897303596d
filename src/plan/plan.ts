import type { Action, Consequence, EventBody, PlannedStep, Refusal, StepId } from "./events.ts";
import type { GraphNode } from "./graph.ts";
import type { FieldChange, Objection } from "./resource.ts";

/** One thing that is not as the file says, and what would be done about it. */
export interface Change {
  node: GraphNode;
  action: Action;
  consequence: Consequence;
  fields: FieldChange[];
  /** What was found; undefined when nothing was. */
  have: unknown;
  loses?: string;
  keeps?: string;
  objections?: Objection[];
  /** It was there before, and only waits for a machine that the plan starts or changes. */
  returns?: true;
}

/** The graph compared with reality. Plain data but for `have`, which only its resource understands. */
export interface Plan {
  changes: Change[];
  /** What is already as wanted. */
  same: StepId[];
  refused: Refusal[];
  /** What was found, by step; needed to know what exists without asking again. */
  found: Map<StepId, unknown>;
}

/** The plan as the stream tells it. */
export const planEvent = (plan: Plan): Extract<EventBody, { type: "plan" }> => ({
  type: "plan",
  steps: plan.changes.map(plannedStep),
  same: plan.same.length,
  refused: plan.refused,
});

const verbs: Record<Action, string> = {
  create: "Create",
  update: "Change",
  replace: "Replace",
  remove: "Remove",
};

/** A change as the event stream and the plan screen show it. */
function plannedStep(change: Change): PlannedStep {
  const { node } = change;
  return {
    id: node.id,
    title:
      node.title ??
      `${(node.comesByItself || change.returns) && change.action === "create" ? "Wait for" : verbs[change.action]} ${node.name}`,
    kind: node.kind,
    action: change.action,
    consequence: change.consequence,
    group: node.group,
    after: node.after,
    cluster: node.cluster,
    ...(node.host !== undefined && { host: node.host }),
    ...(node.node !== undefined && { node: node.node }),
    ...(node.role !== undefined && { role: node.role }),
    ...(node.usualMs !== undefined && { usualMs: node.usualMs }),
    ...(node.facts !== undefined && { facts: node.facts }),
    ...(change.fields.length > 0 && {
      from: Object.fromEntries(change.fields.map((field) => [field.field, field.from])),
      to: Object.fromEntries(change.fields.map((field) => [field.field, field.to])),
    }),
    ...(change.loses !== undefined && { loses: change.loses }),
    ...(change.keeps !== undefined && { keeps: change.keeps }),
    ...(change.returns && { returns: change.returns }),
  };
}
