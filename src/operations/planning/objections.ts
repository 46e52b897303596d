import type { Change, Objection, Plan, Refusal } from "../../plan/index.ts";

/** What the steps of a plan object to, told once for each cluster and topic. Nothing of such a cluster is changed. */
export function objected({ changes, found }: Plan): Refusal[] {
  const all = changes.flatMap((change) =>
    (change.objections ?? []).map((objection): Objected => ({ change, objection })),
  );
  return grouped(all)
    .filter((group) => !isStray(group, found))
    .map(refusalOf);
}

interface Objected {
  change: Change;
  objection: Objection;
}

function grouped(all: Objected[]): Objected[][] {
  const groups = new Map<string, Objected[]>();
  for (const each of all) {
    const { topic, from, to } = each.objection;
    const key = JSON.stringify([each.change.node.cluster, topic, from, to]);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()];
}

/** One machine among others that are as the file says was changed by hand, not by the file. */
function isStray(group: Objected[], found: Plan["found"]): boolean {
  const [first] = group;
  if (!first?.objection.isStrayAmongOthers) return false;
  const ids = new Set(group.map(({ change }) => change.node.id));
  const prefix = first.change.node.id.slice(0, first.change.node.id.lastIndexOf("/") + 1);
  return Object.entries(found).some(
    ([id, have]) => have !== undefined && id.startsWith(prefix) && !ids.has(id),
  );
}

function refusalOf(group: Objected[]): Refusal {
  const [first] = group;
  if (!first) throw new Error("an objection that no step raised");
  const { cluster } = first.change.node;
  const { topic, from, to, consequence, error } = first.objection;
  const nodes = [...new Set(group.flatMap(({ change }) => change.node.node ?? []))];
  const [only] = nodes;
  return {
    step: `${cluster}/cluster/${topic}`,
    consequence,
    why: error.why,
    next: error.next,
    subject:
      nodes.length === 0
        ? topic
        : nodes.length === 1
          ? `${topic} on ${only}`
          : `${topic} on ${nodes.length} nodes`,
    change: `${from} → ${to}`,
    error,
    holds: cluster,
  };
}
