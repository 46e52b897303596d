import type { StepContext } from "./resource.ts";

/** The control planes of a cluster, and its nodes that do their work right now. Absent: nobody knows. */
export interface HealthyNodes {
  controlPlanes: string[];
  healthy: ReadonlySet<string>;
}
export type AskHealthyNodes = (cluster: string) => Promise<HealthyNodes | undefined>;

const backWait = { probe: "node", deadlineMs: 10 * 60_000, everyMs: 2_000, usualMs: 45_000 };

/**
 * Nodes of one cluster restart one after the other, workers as many at once as the file allows, and the next only when the
 * last does its work again: a machine is on long before its etcd is back. A control plane restarts only while all others
 * hold the cluster together. After the first failure no further node is touched: those that still wait are skipped, and
 * what runs is left running. `others` tells which nodes are away at the same time.
 */
export async function rollingRestart<T>(
  ctx: StepContext,
  want: { cluster: string; node: string },
  askHealthyNodes: AskHealthyNodes | undefined,
  work: (others: () => string[]) => Promise<T>,
): Promise<T> {
  const turn = await ctx.rolling(`${want.cluster}/restart`, (others) =>
    betweenLooks(ctx, want, askHealthyNodes, "restart", () => work(others)),
  );
  return unlessBlocked(turn);
}

/**
 * A machine goes to another host while it runs. Control planes of a cluster do so one after the other, as if they
 * restarted; workers side by side. It has moved well when its node does its work there as before.
 */
export async function rollingMove<T>(
  ctx: StepContext,
  want: { cluster: string; node: string; isControlPlane: boolean },
  askHealthyNodes: AskHealthyNodes | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const move = () => betweenLooks(ctx, want, askHealthyNodes, "move", work);
  return unlessBlocked(
    want.isControlPlane ? await ctx.rolling(`${want.cluster}/restart`, move) : await move(),
  );
}

type Turn<T> = { done: T } | { blocker: unknown };

function unlessBlocked<T>(turn: Turn<T>): T {
  if ("blocker" in turn) throw turn.blocker;
  return turn.done;
}

async function betweenLooks<T>(
  ctx: StepContext,
  { cluster, node }: { cluster: string; node: string },
  askHealthyNodes: AskHealthyNodes | undefined,
  doing: "restart" | "move",
  work: () => Promise<T>,
): Promise<Turn<T>> {
  const before = await askHealthyNodes?.(cluster);
  // A cluster that has not begun has nothing to lose.
  if (!askHealthyNodes || !before || !isBegun(before)) return { done: await work() };
  const untilHealthy = (what: string, names: string[]): Promise<void> =>
    ctx.waitFor({ ...backWait, what }, async () => {
      const { healthy } = (await askHealthyNodes(cluster)) ?? before;
      const missing = names.filter((name) => !healthy.has(name));
      if (missing.length === 0) return { done: true, value: undefined };
      return { done: false, seen: `not yet: ${missing.join(", ")}` };
    });
  if (before.controlPlanes.includes(node)) {
    const others = before.controlPlanes.filter((name) => name !== node);
    try {
      await untilHealthy(`the other control planes, so that ${node} can ${doing}`, others);
    } catch (thrown) {
      // Nothing has been touched, and the one it waited for may be next in line with what cures it.
      return { blocker: thrown };
    }
  }
  const done = await work();
  // One that did not work before may be what the change is for; others are told about it.
  if (before.healthy.has(node)) await untilHealthy(`${node} to be back`, [node]);
  return { done };
}

/** Without control planes, machines stand for themselves. */
const isBegun = ({ controlPlanes, healthy }: HealthyNodes): boolean =>
  controlPlanes.length === 0 ? healthy.size > 0 : controlPlanes.some((name) => healthy.has(name));
