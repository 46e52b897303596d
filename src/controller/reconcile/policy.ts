import { isApproved, type PlanApproval, type PlanFile } from "../../operations/index.ts";
import { applyOf, approvedPlan, type SlipwayCluster } from "../objects/index.ts";

/** What is done about a plan with changes. */
export type Decision =
  | { does: "run"; approval?: PlanApproval | undefined }
  | { does: "wait"; reason: "Paused" | "ApplyNever" | "AwaitingApproval"; message: string };

/**
 * An approval is bound to a plan: it holds for this one, and for what is left of it after a cut. Another plan, by whatever has
 * changed since, needs another.
 */
export function decide(object: SlipwayCluster, plan: PlanFile, approval: PlanApproval): Decision {
  const { name, namespace = "", annotations } = object.metadata;
  const changes = `${plan.steps.length} ${plan.steps.length === 1 ? "change" : "changes"}`;
  if (object.spec.paused)
    return { does: "wait", reason: "Paused", message: `${changes} wait while it is paused` };
  const policy = applyOf(object);
  if (policy === "Auto") return { does: "run" };
  if (policy === "Never")
    return { does: "wait", reason: "ApplyNever", message: `${changes} would be made; spec.apply is Never` };
  const said = annotations?.[approvedPlan];
  if (said === approval.digest) return { does: "run", approval };
  const before = object.status?.approved;
  if (said !== undefined && before?.digest === said && isApproved(before, plan))
    return { does: "run", approval: before };
  return {
    does: "wait",
    reason: "AwaitingApproval",
    message: `${changes} wait for approval: kubectl -n ${namespace} annotate swc ${name} ${approvedPlan}=${approval.digest} --overwrite`,
  };
}
