import type { StepContext } from "./resource.ts";

/** The control planes of a cluster, and its nodes that do their work right now. Absent: nobody knows. */
export interface Standing {
  controlPlanes: string[];
  standing: ReadonlySet<string>;
}
export type AskStanding = (cluster: string) => Promise<Standing | undefined>;

const backWait = { probe: "node", deadlineMs: 10 * 60_000, everyMs: 2_000, usualMs: 45_000 };

/**
 * Machines of one cluster restart one after the other, and the next only when the last does its work again: a machine is
 * on long before its etcd is back. A control plane restarts only while all others hold the cluster together.
 */
export const inTurn = <T>(
  ctx: StepContext,
  want: { cluster: string; node: string },
  askStanding: AskStanding | undefined,
  work: () => Promise<T>,
): Promise<T> =>
  ctx.holding(`${want.cluster}/restart`, 1, async () => {
    const before = await askStanding?.(want.cluster);
    // Without control planes, machines stand for themselves.
    const isBegun =
      before?.controlPlanes.length === 0
        ? before.standing.size > 0
        : before?.controlPlanes.some((name) => before.standing.has(name));
    // A cluster that has not begun has nothing to lose.
    if (!askStanding || !before || !isBegun) return work();
    const untilStanding = (what: string, names: string[]): Promise<void> =>
      ctx.waitFor({ ...backWait, what }, async () => {
        const { standing } = (await askStanding(want.cluster)) ?? before;
        const silent = names.filter((name) => !standing.has(name));
        if (silent.length === 0) return { done: true, value: undefined };
        return { done: false, seen: `not yet: ${silent.join(", ")}` };
      });
    if (before.controlPlanes.includes(want.node)) {
      const others = before.controlPlanes.filter((name) => name !== want.node);
      await untilStanding(`the other control planes, so that ${want.node} can restart`, others);
    }
    const done = await work();
    // One that did not work before may be what the change is for; others are told about it.
    if (before.standing.has(want.node)) await untilStanding(`${want.node} to be back`, [want.node]);
    return done;
  });
