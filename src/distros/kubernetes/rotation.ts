import { isNodeReady, type KubeClient } from "../../clients/kube/index.ts";
import type { Graph, RollingGates, Seen, StepContext, StepId } from "../../plan/index.ts";
import { nodesNotHealthy } from "./rotation-errors.ts";

/** Steps of a rank go side by side, and after all ranks before: those that are done already fall out of a plan. */
export function inOrder(ranks: Graph[]): Graph {
  const before: StepId[] = [];
  return ranks.flatMap((rank) => {
    const after = [...before];
    before.push(...rank.map(({ id }) => id));
    return rank.map((node) => ({ ...node, after }));
  });
}

/** One that is away would not learn of the new one, and be locked out by it. */
export async function demandHealthy(
  rotated: { cluster: string; what: string },
  nodes: string[],
  gates: RollingGates,
): Promise<void> {
  const found = await gates.healthyNodes(rotated.cluster);
  const ill = nodes.filter((node) => !found?.healthy.has(node));
  if (ill.length > 0) throw nodesNotHealthy({ ...rotated, nodes: ill });
}

/** All nodes of a cluster that is rotated, and what is typed to go on. */
export interface StageOf {
  cluster: string;
  nodes: string[];
  again: string;
}

/** A node that is away now would find itself locked out when it comes back. */
export async function waitForStage(
  ctx: StepContext,
  { cluster, nodes, again }: StageOf,
  gates: RollingGates,
  openKube: () => Promise<KubeClient>,
  isDone: (node: string) => Promise<boolean>,
): Promise<void> {
  await ctx.waitFor(
    {
      what: "every node to be healthy and done with the step before",
      probe: "node",
      deadlineMs: 180_000,
      everyMs: 2_000,
      usualMs: 5_000,
      next: `See what keeps it: slipway doctor ${cluster}; then run "${again}", which goes on from here`,
    },
    async (): Promise<Seen<true>> => {
      const kube = await openKube();
      const [healthy, known] = await Promise.all([gates.healthyNodes(cluster), kube.nodes()]);
      const ready = new Set(known.filter(isNodeReady).map(({ metadata }) => metadata.name));
      for (const node of nodes) {
        const isUp = healthy?.healthy.has(node) === true && ready.has(node);
        if (!isUp) return { done: false, seen: `${node} is not healthy` };
        if (!(await isDone(node))) return { done: false, seen: `${node} has not finished the step before` };
      }
      return { done: true, value: true };
    },
  );
}
