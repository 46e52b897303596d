import { SlipwayError } from "../errors/index.ts";
import type { StepContext } from "./resource.ts";

/** The control planes of a cluster, and its nodes that do their work right now. */
export interface HealthyNodes {
  controlPlanes: string[];
  healthy: ReadonlySet<string>;
}

/** What is asked before a node goes and after it is back. */
export interface RollingGates {
  /** Undefined: nobody knows. Only those `among` are asked where it is given: a cluster may have a thousand nodes. */
  healthyNodes(
    cluster: string,
    among?: (controlPlanes: readonly string[]) => readonly string[],
  ): Promise<HealthyNodes | undefined>;
  /** What of the data on the nodes is not whole, in words; undefined where the cluster keeps none that is known of. */
  storageTrouble(cluster: string): Promise<string[] | undefined>;
  /** What the file asks for beside that and does not hold, in words. */
  ownTrouble(cluster: string): Promise<string[]>;
  /** Moves the pods of a node that restarts elsewhere, within their budgets, and keeps others from it until `letPodsIn`. */
  drain(ctx: StepContext, cluster: string, node: string): Promise<void>;
  /** Only where it was a run of ours that kept them away. */
  letPodsIn(cluster: string, node: string): Promise<void>;
}

interface RestartWant {
  cluster: string;
  node: string;
  /** Only a part of it starts again: what its pods do and hold stays as it is. */
  staysUp?: boolean;
  /** Its pods leave in time: the work itself does not see to it. */
  drains?: boolean;
  /** An earlier run has sent it away and was cut: it has to come back, though it does not work now. */
  isAway?: boolean;
}

const backWait = { probe: "node", deadlineMs: 10 * 60_000, everyMs: 2_000, usualMs: 45_000 };
/** A volume that is copied anew takes long. */
const gateWait = { probe: "gate", deadlineMs: 30 * 60_000, everyMs: 5_000, usualMs: 60_000 };
const releaseWait = { probe: "https", deadlineMs: 2 * 60_000, everyMs: 1_000, usualMs: 1_000 };
const mostNamed = 3;

/**
 * Nodes of one cluster restart one after the other, workers as many at once as the file allows, and the next only when the
 * last does its work again: a machine is on long before its etcd is back. A control plane restarts only while all others
 * hold the cluster together. After the first failure no further node is touched: those that still wait are skipped, and
 * what runs is left running. Where nodes keep data, each goes alone and only while all data is whole, and its turn ends when
 * it is whole again. `others` tells which nodes are away at the same time.
 */
export async function rollingRestart<T>(
  ctx: StepContext,
  want: RestartWant,
  gates: RollingGates | undefined,
  work: (others: () => string[]) => Promise<T>,
): Promise<T> {
  const turn = await ctx.rolling(
    `${want.cluster}/restart`,
    (others) => betweenLooks(ctx, want, gates, "restart", () => work(others)),
    async () => gates !== undefined && !want.staysUp && (await keepsData(gates, want.cluster)),
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
  gates: RollingGates | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const move = () => betweenLooks(ctx, want, gates, "move", work);
  return unlessBlocked(
    want.isControlPlane ? await ctx.rolling(`${want.cluster}/restart`, move) : await move(),
  );
}

/** Two nodes may hold the only copies of a volume. Where nobody answers, nobody knows. */
async function keepsData(gates: RollingGates, cluster: string): Promise<boolean> {
  try {
    return (await gates.storageTrouble(cluster)) !== undefined;
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return true;
    throw thrown;
  }
}

type Turn<T> = { done: T } | { blocker: unknown };

function unlessBlocked<T>(turn: Turn<T>): T {
  if ("blocker" in turn) throw turn.blocker;
  return turn.done;
}

async function betweenLooks<T>(
  ctx: StepContext,
  { cluster, node, staysUp, drains = false, isAway = false }: RestartWant,
  gates: RollingGates | undefined,
  doing: "restart" | "move",
  work: () => Promise<T>,
): Promise<Turn<T>> {
  const before = await gates?.healthyNodes(cluster, (controlPlanes) => [...controlPlanes, node]);
  // A cluster that has not begun has nothing to lose.
  if (!gates || !before || !isBegun(before)) return { done: await work() };
  const untilHealthy = (what: string, names: string[]): Promise<void> =>
    ctx.waitFor({ ...backWait, what }, async () => {
      const { healthy } = (await gates.healthyNodes(cluster, () => names)) ?? before;
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
  // One that did not work before may be what the change is for; others are told about it.
  const wasHealthy = before.healthy.has(node);
  const isGated = wasHealthy && doing === "restart" && !staysUp;
  if (isGated) await passGates(ctx, gates, cluster, `before ${node} goes`);
  const workAndReturn = async (): Promise<T> => {
    const done = await work();
    if (wasHealthy || isAway) await untilHealthy(`${node} to be back`, [node]);
    return done;
  };
  const done = await (isGated && drains
    ? whileEmpty(ctx, gates, { cluster, node }, workAndReturn)
    : workAndReturn());
  if (isAway && !wasHealthy) await takePods(ctx, gates, { cluster, node });
  if (isGated) await passGates(ctx, gates, cluster, `after ${node} is back`);
  return { done };
}

/** Whatever becomes of the work, pods may come to the node again afterwards: what is off takes none anyway. */
async function whileEmpty<T>(
  ctx: StepContext,
  gates: RollingGates,
  { cluster, node }: Pick<RestartWant, "cluster" | "node">,
  work: () => Promise<T>,
): Promise<T> {
  try {
    await gates.drain(ctx, cluster, node);
    const done = await work();
    await takePods(ctx, gates, { cluster, node });
    return done;
  } catch (thrown) {
    await gates.letPodsIn(cluster, node).catch((also: unknown) => {
      if (!(also instanceof SlipwayError)) throw also;
      ctx.log("warn", `${node} stays cordoned until the next run: ${also.why}`);
    });
    throw thrown;
  }
}

const takePods = (
  ctx: StepContext,
  gates: RollingGates,
  { cluster, node }: Pick<RestartWant, "cluster" | "node">,
): Promise<void> =>
  ctx.waitFor({ ...releaseWait, what: `${node} to take pods again` }, async () => {
    await gates.letPodsIn(cluster, node);
    return { done: true, value: undefined };
  });

async function passGates(
  ctx: StepContext,
  gates: RollingGates,
  cluster: string,
  when: string,
): Promise<void> {
  const untilNone = (what: string, ask: () => Promise<string[] | undefined>, next: string): Promise<void> =>
    ctx.waitFor({ ...gateWait, what: `${what}, ${when}`, next }, async () => {
      const troubles = (await ask()) ?? [];
      if (troubles.length === 0) return { done: true, value: undefined };
      const more = troubles.length > mostNamed ? ` and ${troubles.length - mostNamed} more` : "";
      return { done: false, seen: `${troubles.slice(0, mostNamed).join("; ")}${more}` };
    });
  const again = `then run "slipway up ${cluster}", which goes on where this ended`;
  await untilNone(
    "all data to be whole",
    () => gates.storageTrouble(cluster),
    `Let the storage heal, or mend what is named (rollout: { storage: ignore } goes on without), ${again}`,
  );
  await untilNone(
    "the gates of the file",
    () => gates.ownTrouble(cluster),
    `Mend what is named, or take it out of rollout.gates, ${again}`,
  );
}

/** Without control planes, machines stand for themselves. */
const isBegun = ({ controlPlanes, healthy }: HealthyNodes): boolean =>
  controlPlanes.length === 0 ? healthy.size > 0 : controlPlanes.some((name) => healthy.has(name));
