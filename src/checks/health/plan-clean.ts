import { errorData } from "../../errors/index.ts";
import {
  nodesInWords,
  type Change,
  type Check,
  type Finding,
  type NodeLook,
  type Plan,
} from "../../plan/index.ts";
import { planNotClean } from "./errors.ts";
import { needsWrites } from "./health-facts.ts";

export interface PlanFacts {
  cluster: string;
  file: string;
  plan(): Promise<Plan>;
  /** What the nodes show: one that is silent cannot be compared, and is told of by a later check. */
  looks(): Promise<Map<string, NodeLook>>;
}

/** All is as the file says. */
export const planClean = (facts: PlanFacts): Check => ({
  id: "plan-clean",
  title: "Plan is clean",
  // Without them nobody can tell what is in the cluster.
  needs: needsWrites,
  async run(): Promise<Finding> {
    const { cluster, file } = facts;
    const [{ changes, same, refused }, looks] = await Promise.all([facts.plan(), facts.looks()]);
    const silent = [...looks].flatMap(([node, { silence }]) => (silence === undefined ? [] : [node]));
    const real = changes.filter((change) => !isToldElsewhere(change, silent));
    const differing = real.length + refused.length;
    const all = same.length + differing;
    const needed = `nothing that differs from ${file}`;
    if (differing === 0) {
      const unseen = silent.length === 0 ? "" : `; ${nodesInWords(silent)} cannot be asked`;
      return { status: "ok", needed, found: `${all} of ${all} as ${file} says${unseen}` };
    }
    const words = [...real.map(changeWords), ...refused.map(({ step }) => `change ${step} (refused)`)];
    const why = `up would ${nodesInWords(words)}`;
    const nodes = real.flatMap(({ node }) => node.node ?? []);
    const isOfNodes = nodes.length === real.length && refused.length === 0;
    return {
      status: "failed",
      needed,
      found: `${same.length} of ${all}${isOfNodes ? "" : `: ${why}`}`,
      ...(isOfNodes && { nodes: Object.fromEntries(real.map((change) => [change.node.node, "differs"])) }),
      error: errorData(planNotClean({ cluster, file, why })),
    };
  },
});

/** What other checks tell of: what comes by itself once the rest is well, silent nodes, machines that are off, add-ons that ail. */
const isToldElsewhere = ({ node, have, fields }: Change, silent: string[]): boolean => {
  if (have !== undefined)
    return fields.length > 0 && fields.every(({ field }) => field === "state" || field === "power");
  return node.comesByItself === true || (node.kind.endsWith("/config") && silent.includes(node.node ?? ""));
};

const verbs = { create: "create", update: "change", replace: "replace", remove: "remove" } as const;

const changeWords = ({ node, action, fields }: Change): string =>
  `${verbs[action]} ${node.name}${fields.length === 0 ? "" : ` (${fields.map(({ field }) => field).join(", ")})`}`;
