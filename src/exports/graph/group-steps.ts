import { groupBy } from "../../lib/index.ts";
import type { Step, StepsDiagram } from "./model.ts";
import { countText, listText } from "./texts.ts";

/** One box of the picture: a step, or several of a kind. */
export interface StepGroup {
  id: string;
  steps: [Step, ...Step[]];
  title: string;
  /** What it is about, where the title does not say it. */
  names: string;
  /** Ids of groups that come right before it. */
  after: string[];
}

/** The steps of a picture. Those of one kind that can be done at the same time share a box, so hundreds stay readable. */
export function groupSteps({ steps, shown }: StepsDiagram): StepGroup[] {
  const depths = depthsOf(steps);
  const keyOf = (step: Step): string =>
    JSON.stringify([step.cluster, step.noun, step.mark, step.note, depths.get(step.id)]);
  const groups = [...groupBy(steps, keyOf).values()];
  const groupByStep = new Map(
    groups.flatMap((members) => members.map(({ id }) => [id, members[0]?.id ?? ""])),
  );
  const drawn = groups.flatMap(([first, ...more]): StepGroup[] => {
    if (!first) return [];
    const members: [Step, ...Step[]] = [first, ...more];
    const before = members.flatMap(({ after }) => after.flatMap((id) => groupByStep.get(id) ?? []));
    return [
      {
        id: first.id,
        steps: members,
        ...textsOf(members, shown.length > 1),
        after: [...new Set(before)].toSorted(),
      },
    ];
  });
  return withoutDetours(drawn);
}

function textsOf(steps: [Step, ...Step[]], isOfSeveral: boolean): Pick<StepGroup, "title" | "names"> {
  const [first] = steps;
  const cluster = isOfSeveral ? [first.cluster] : [];
  if (steps.length === 1) return { title: first.title, names: cluster.join("") };
  const [verb] = /^(Wait for|\S+)/.exec(first.title) ?? [""];
  return {
    title: `${verb} ${countText(steps.length, first.noun, first.plural)}`,
    names: [...cluster, listText(steps.map(({ label }) => label))].join(": "),
  };
}

/** How many steps there are at least before each. Edges only ever lead deeper, so groups of one depth make no circle. */
function depthsOf(steps: Step[]): Map<string, number> {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const depths = new Map<string, number>();
  const depthOf = (step: Step): number => {
    const known = depths.get(step.id);
    if (known !== undefined) return known;
    // A circle would never end; plans have none.
    depths.set(step.id, 0);
    const before = step.after.flatMap((id) => byId.get(id) ?? []);
    const depth = before.reduce((deepest, each) => Math.max(deepest, depthOf(each) + 1), 0);
    depths.set(step.id, depth);
    return depth;
  };
  for (const step of steps) depthOf(step);
  return depths;
}

/** Leaves out arrows that a longer way says already. */
function withoutDetours(groups: StepGroup[]): StepGroup[] {
  const byId = new Map(groups.map((group) => [group.id, group]));
  const reached = new Map<string, Set<string>>();
  const before = (id: string): Set<string> => {
    const known = reached.get(id);
    if (known) return known;
    const found = new Set<string>();
    reached.set(id, found);
    for (const next of byId.get(id)?.after ?? []) {
      found.add(next);
      for (const further of before(next)) found.add(further);
    }
    return found;
  };
  return groups.map((group) => ({
    ...group,
    after: group.after.filter((id) => !group.after.some((other) => other !== id && before(other).has(id))),
  }));
}
