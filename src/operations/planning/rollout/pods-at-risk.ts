import { podsAtRisk, unlessUnreachable, type PodAtRisk } from "../../../distros/kubernetes/index.ts";
import { groupBy } from "../../../lib/index.ts";
import type { Change, GraphNode, Plan, ReadContext } from "../../../plan/index.ts";
import type { Cluster } from "../../../spec/index.ts";
import type { Parts } from "../assemble.ts";

const mostNamed = 3;

/** Its node goes away for a while or for good, with its pods. A service that starts again may leave them running. */
const takesPods = ({ action, consequence, node, leavesPods }: Change): boolean =>
  action === "remove"
    ? node.drains === "removal"
    : action === "update" &&
      node.drains === "restart" &&
      (consequence === "reboot" || consequence === "roll") &&
      leavesPods !== true;

/** Steps that bring one change to several nodes, and stand in one line of the plan. */
const rowOf = ({ node, action, consequence }: Change): string =>
  JSON.stringify([node.cluster, action, consequence, node.id.slice(0, node.id.lastIndexOf("/"))]);

/** A plan that names the pods for which it is not nothing when these nodes go. What does not answer is not named. */
export async function withPodsAtRisk(
  plan: Plan,
  clusters: readonly Cluster[],
  { openKube }: Pick<Parts, "openKube">,
  ctx: ReadContext,
): Promise<Plan> {
  const taking = plan.changes.filter(takesPods);
  if (taking.length === 0) return plan;
  const found = new Map(
    await Promise.all(
      clusters.map(async (cluster): Promise<[string, PodAtRisk[] | undefined]> => {
        const own = taking.filter(({ node }) => node.cluster === cluster.name);
        return [cluster.name, own.length === 0 ? [] : await askPods(cluster, own, openKube, ctx)];
      }),
    ),
  );
  const facts = new Map(
    [...groupBy(taking, rowOf)].map(([row, changes]) => {
      const [first] = changes;
      const names = new Set(changes.map(({ node }) => node.node));
      const pods = found.get(first?.node.cluster ?? "");
      const own =
        pods &&
        factsOf(
          pods.filter(({ node }) => names.has(node)),
          first?.node.drains,
        );
      return [row, own] as const;
    }),
  );
  return {
    ...plan,
    changes: plan.changes.map((change) =>
      takesPods(change)
        ? {
            ...change,
            node: { ...change.node, facts: { ...facts.get(rowOf(change)), ...change.node.facts } },
          }
        : change,
    ),
  };
}

/** Undefined where nobody answers, or where there is no Kubernetes. */
async function askPods(
  cluster: Cluster,
  changes: Change[],
  openKube: Parts["openKube"],
  ctx: ReadContext,
): Promise<PodAtRisk[] | undefined> {
  const nodes = new Set(changes.flatMap(({ node }) => node.node ?? []));
  return unlessUnreachable(ctx, async (limit) => {
    const kube = await openKube(cluster);
    return kube && podsAtRisk(kube, nodes, limit);
  });
}

/** What would hold a drain is blocked. */
function factsOf(pods: PodAtRisk[], drains: GraphNode["drains"]): Record<string, string | undefined> {
  const named = (because: PodAtRisk["because"]): string | undefined => {
    const texts = pods.filter((pod) => pod.because === because).map(({ text }) => text);
    const more = texts.length > mostNamed ? ` and ${texts.length - mostNamed} more` : "";
    return texts.length === 0 ? undefined : `${texts.slice(0, mostNamed).join("; ")}${more}`;
  };
  return {
    before: drains === "restart" ? "drained within its budgets" : undefined,
    blocked: named("closed"),
    alone: named("alone"),
    unmanaged: named("unmanaged"),
  };
}
