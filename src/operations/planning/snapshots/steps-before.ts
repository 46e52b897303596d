import {
  faceOf,
  type AnyResource,
  type Change,
  type Graph,
  type OwnedMachine,
  type Plan,
} from "../../../plan/index.ts";

/** The plan with a step before the changes of each machine, whose step is at the same place in the graph. */
export function withStepsBefore(
  plan: Plan,
  steps: { machines: OwnedMachine[]; graph: Graph },
  kinds: ReadonlyMap<string, AnyResource>,
  isTouching: (change: Change) => boolean,
): Plan {
  const stepOf = new Map(
    steps.machines.map(({ cluster, node }, index) => [`${cluster}/${node}`, steps.graph[index]?.id]),
  );
  const first = steps.graph.map((node): Change => ({
    node,
    face: faceOf(node, kinds.get(node.kind)),
    action: "create",
    consequence: "create",
    fields: [],
    have: undefined,
  }));
  const changes = plan.changes.map((change): Change => {
    const before = stepOf.get(`${change.node.cluster}/${change.node.node}`);
    if (before === undefined || !isTouching(change)) return change;
    return { ...change, node: { ...change.node, after: [...change.node.after, before] } };
  });
  return { ...plan, changes: [...first, ...changes] };
}

/** Machines of a cluster that exist and are touched by one of these changes. */
export const touchedMachines = (
  machines: OwnedMachine[],
  changes: Change[],
  cluster: string,
): OwnedMachine[] =>
  machines.filter(
    (machine) =>
      machine.cluster === cluster &&
      changes.some(({ node }) => node.cluster === cluster && node.node === machine.node),
  );
