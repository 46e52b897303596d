import { momentText, windowState, type Change, type Plan, type StepId } from "../../../plan/index.ts";
import { rolloutOf, type Cluster, type RolloutWindow } from "../../../spec/index.ts";
import { outsideWindow } from "../errors.ts";
import type { SlipwayError } from "../../../errors/index.ts";

const disturbing = ["disturb", "reboot", "roll"];

/** It takes a node away for a while, or may interrupt pods on it. */
const isRolling = ({ action, consequence, node }: Change): boolean =>
  action === "update" && disturbing.includes(consequence) && node.group !== "addons";

/**
 * Outside of the window of its cluster a rolling change waits; so does all that comes after it, and all that is done for its
 * sake alone.
 */
export function withinWindows(plan: Plan, clusters: readonly Cluster[], nowMs: number): Plan {
  const closed = new Map(
    clusters.flatMap((cluster) => {
      const waits = closedUntil(rolloutOf(cluster).window, nowMs);
      return waits ? [[cluster.name, waits] as const] : [];
    }),
  );
  if (closed.size === 0) return plan;
  const held = heldBy(plan.changes, (change) => closed.has(change.node.cluster) && isRolling(change));
  return {
    ...plan,
    changes: plan.changes.map((change) =>
      held.has(change.node.id) ? { ...change, waits: closed.get(change.node.cluster) } : change,
    ),
  };
}

function heldBy(changes: readonly Change[], isHeld: (change: Change) => boolean): ReadonlySet<StepId> {
  const held = new Set(changes.filter(isHeld).map(({ node }) => node.id));
  const follow = (step: (change: Change) => boolean): void => {
    for (let before = -1; before !== held.size;) {
      before = held.size;
      for (const change of changes) if (step(change)) held.add(change.node.id);
    }
  };
  follow(({ node }) => node.after.some((id) => held.has(id)));
  // What comes by itself is only looked at, and keeps nothing from being done.
  const needed = new Map<StepId, Change[]>();
  for (const change of changes)
    for (const id of change.node.after) needed.set(id, [...(needed.get(id) ?? []), change]);
  follow(({ node, action }) => {
    const users = needed.get(node.id) ?? [];
    return action !== "remove" && users.length > 0 && users.every((user) => held.has(user.node.id));
  });
  return held;
}

function closedUntil(window: RolloutWindow | undefined, nowMs: number): Change["waits"] {
  const state = window && windowState(window, nowMs);
  return !window || !state || state.isOpen
    ? undefined
    : { untilMs: state.opensAtMs, text: momentText(state.opensAtMs, window) };
}

/** The same while a plan is carried out: why the next node has to wait, if it has to. */
export const closedNow =
  (clusters: readonly Cluster[], now: () => number) =>
  (change: Change): string | undefined => {
    const cluster = clusters.find(({ name }) => name === change.node.cluster);
    const waits = cluster && isRolling(change) ? closedUntil(rolloutOf(cluster).window, now()) : undefined;
    return waits && `the window has closed, it opens again ${waits.text}`;
  };

/** What was left for later, as the end of a run. */
export function waitingError(
  clusters: readonly Cluster[],
  left: readonly Change[],
  nowMs: number,
): SlipwayError | undefined {
  const names = new Set(left.map(({ node }) => node.cluster));
  const found = clusters.flatMap((cluster) => {
    const { window } = rolloutOf(cluster);
    const waits = names.has(cluster.name) ? closedUntil(window, nowMs) : undefined;
    return window && waits ? [{ cluster: cluster.name, window: windowText(window), opens: waits.text }] : [];
  });
  const [first] = found;
  return first && outsideWindow({ ...first, others: found.slice(1).map(({ cluster }) => cluster) });
}

/** `sat, sun 02:00 to 06:00 Europe/Berlin`. */
const windowText = ({ days, from, to, timeZone }: RolloutWindow): string =>
  `${days === undefined ? "" : `${days.join(", ")} `}${from} to ${to} ${timeZone}`;
