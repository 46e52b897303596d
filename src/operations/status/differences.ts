import { SlipwayError } from "../../errors/index.ts";
import { limitTime, TimeLimitError } from "../../lib/index.ts";
import { comparePlan, type Change, type FieldChange, type Survey } from "../../plan/index.ts";
import type { Cluster, Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { readContext, type Parts } from "../planning/assemble.ts";
import { describeBare } from "../planning/describe-fleet.ts";

/** A quick look waits for no node that is slow to tell its config. */
const patienceMs = 5_000;

/** What is not as the file says, by node; or why it is not known. */
export type Differences = { byNode: Map<string, FieldChange[]> } | { unknownBecause: string };

/**
 * Compares machines and configs of these nodes with the file, as a plan does. What belongs to the cluster as a whole, its
 * add-ons and what is left over is compared by `plan` and `verify` alone: that takes longer.
 */
export async function findDifferences(
  fleet: Fleet,
  cluster: Cluster,
  nodes: ReadonlySet<string>,
  survey: Survey,
  parts: Parts,
  world: World,
): Promise<Differences> {
  if (nodes.size === 0) return { byNode: new Map() };
  const late = `not done within ${patienceMs / 1000}s`;
  try {
    return await limitTime(world.clock, patienceMs, late, world.stop, async (signal) => {
      const { described } = await describeBare(fleet, [cluster], survey, parts);
      const whole = described.flatMap((each) => [...each.machines, ...each.nodes]);
      const asked = whole.filter(({ node, group }) => group === "nodes" && node && nodes.has(node));
      const ctx = { ...readContext(world, survey), signal };
      const { changes } = await comparePlan(asked, parts.kinds, ctx, whole);
      return { byNode: byNode(changes.filter(isKnown)) };
    });
  } catch (thrown) {
    world.stop.throwIfAborted();
    if (thrown instanceof SlipwayError) return { unknownBecause: thrown.why };
    if (thrown instanceof TimeLimitError) return { unknownBecause: thrown.message };
    throw thrown;
  }
}

/** What does not answer may well be as it should. */
const isKnown = ({ isUnreachable, returns }: Change): boolean => !isUnreachable && !returns;

function byNode(changes: Change[]): Map<string, FieldChange[]> {
  const found = new Map<string, FieldChange[]>();
  for (const change of changes) {
    const { node = "" } = change.node;
    found.set(node, [...(found.get(node) ?? []), ...fieldsOf(change)]);
  }
  return found;
}

const fieldsOf = ({ fields, node, action }: Change): FieldChange[] =>
  fields.length > 0
    ? fields
    : [{ field: node.name, from: action === "create" ? "none" : "another", to: "as the file says" }];

const shownAtMost = 2;
const longestValues = 40;

/** `memory 8 GiB → 12 GiB, cores 2 → 4 and 3 more`. */
export function differenceText(fields: readonly FieldChange[]): string {
  const shown = fields.slice(0, shownAtMost).map(({ field, from, to }) => {
    const values = `${from} → ${to}`;
    return values.length > longestValues ? field : `${field} ${values}`;
  });
  const rest = fields.length - shown.length;
  return `${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
