import { errorData } from "../../errors/index.ts";
import {
  nodesText,
  type Change,
  type Check,
  type Finding,
  type QuickStatus,
  type Plan,
} from "../../plan/index.ts";
import { planNotClean } from "./errors.ts";
import { needsWrites } from "./health-facts.ts";

export interface PlanFacts {
  cluster: string;
  file: string;
  plan(): Promise<Plan>;
  /** What the nodes show: one that is unreachable cannot be compared, and is told of by a later check. */
  statuses(): Promise<Map<string, QuickStatus>>;
}

/** All is as the file says. */
export const planClean = (facts: PlanFacts): Check => ({
  id: "plan-clean",
  title: "Plan is clean",
  failing: "Plan is not clean",
  // Without them nobody can tell what is in the cluster.
  needs: needsWrites,
  async run(): Promise<Finding> {
    const { cluster, file } = facts;
    const [{ changes, same, refused }, statuses] = await Promise.all([facts.plan(), facts.statuses()]);
    const unreachable = [...statuses].flatMap(([node, { unreachableBecause }]) =>
      unreachableBecause === undefined ? [] : [node],
    );
    const real = changes.filter((change) => !isToldElsewhere(change, unreachable));
    const differing = real.length + refused.length;
    const all = same.length + differing;
    const needed = `nothing that differs from ${file}`;
    if (differing === 0) {
      const unseen = unreachable.length === 0 ? "" : `; ${nodesText(unreachable)} cannot be asked`;
      return { status: "ok", needed, found: `${all} of ${all} as ${file} says${unseen}` };
    }
    const words = [...real.map(changeText), ...refused.map(({ step }) => `change ${step} (refused)`)];
    const why = `up would ${nodesText(words)}`;
    const nodes = real.flatMap(({ node }) => node.node ?? []);
    const isOfNodes = nodes.length === real.length && refused.length === 0;
    return {
      status: "failed",
      needed,
      found: `${same.length} of ${all}${isOfNodes ? "" : `: ${why}`}`,
      nodes: isOfNodes ? Object.fromEntries(real.map((change) => [change.node.node, "differs"])) : undefined,
      error: errorData(planNotClean({ cluster, file, why })),
    };
  },
});

/** What other checks tell of: what comes by itself once the rest is well, unreachable nodes, machines that are off, add-ons that ail. */
const isToldElsewhere = ({ node, have, fields }: Change, unreachable: string[]): boolean => {
  if (node.kind.endsWith("/config") && unreachable.includes(node.node ?? "")) return true;
  if (have === undefined) return node.comesByItself === true;
  return fields.length > 0 && fields.every(({ field }) => field === "state" || field === "power");
};

const verbs = { create: "create", update: "change", replace: "replace", remove: "remove" } as const;

const changeText = ({ node, action, fields }: Change): string =>
  `${verbs[action]} ${node.name}${fields.length === 0 ? "" : ` (${fields.map(({ field }) => field).join(", ")})`}`;
