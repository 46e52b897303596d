import { given } from "../lib/index.ts";
import type { Action, Consequence, EventBody, PlannedStep, Refusal, StepId } from "./events.ts";
import type { ErrorData } from "../errors/index.ts";
import type { Face } from "./face.ts";
import { type GraphNode, faceOf, type FieldChange, type Objection } from "./resource.ts";

/** One thing that is not as the file says, and what would be done about it. */
export interface Change {
  node: GraphNode;
  /** As its kind says it. */
  face?: Face;
  action: Action;
  consequence: Consequence;
  fields: FieldChange[];
  /** What was found, plain, and understood by its resource alone; undefined when nothing was. */
  have: unknown;
  loses?: string | undefined;
  keeps?: string | undefined;
  objections?: Objection[] | undefined;
  /** Only a service of its node starts again: pods run on. */
  leavesPods?: true | undefined;
  /** It is there and does not answer, so that nothing of it is known. */
  isUnreachable?: true | undefined;
  /** Why it must not be removed as things are. */
  blocker?: ErrorData | undefined;
  /** The file lets it begin at this time only, as a clock there shows it. */
  waits?: { untilMs: number; text: string } | undefined;
  /** It was there before, and only waits for a machine that the plan starts or changes. */
  returns?: true;
}

/** The graph compared with reality: plain data, which another process can carry out. */
export interface Plan {
  changes: Change[];
  /** What is already as wanted. */
  same: StepId[];
  refused: Refusal[];
  /** What was found, by step; needed to know what exists without asking again. */
  found: Record<StepId, unknown>;
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
    face: change.face ?? faceOf(node),
    action: change.action,
    consequence: change.consequence,
    group: node.group,
    after: node.after,
    cluster: node.cluster,
    host: node.host,
    node: node.node,
    role: node.role,
    atOnce: node.atOnce,
    usualMs: node.usualMs,
    facts: node.facts && given(node.facts),
    ...(change.fields.length > 0 && {
      from: Object.fromEntries(change.fields.map((field) => [field.field, field.from])),
      to: Object.fromEntries(change.fields.map((field) => [field.field, field.to])),
    }),
    loses: change.loses,
    keeps: change.keeps,
    returns: change.returns,
    comesByItself: node.comesByItself && change.action === "create" ? true : undefined,
    waitsUntil: change.waits?.text,
  };
}
