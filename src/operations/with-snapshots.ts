import type { Change, OwnedMachine, Plan } from "../plan/index.ts";
import type { World } from "../world.ts";
import { readContext } from "./assemble.ts";
import type { FleetLook } from "./plan-fleet.ts";
import { noSnapshots } from "./snapshot-errors.ts";

const defaultKeep = 3;

/** `slipway-20260714-093102`, in UTC; the same for all machines of one moment, so that they can be rolled back together. */
export const snapshotName = (nowMs: number): string =>
  `slipway-${new Date(nowMs).toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15)}`;

/** Puts a snapshot before the first change of every machine that is there already, where the file or the user asks for it. */
export async function withSnapshots(
  plan: Plan,
  look: FleetLook,
  isAsked: boolean,
  world: World,
): Promise<Plan> {
  const { provider } = look.parts;
  const clusters = look.clusters.filter((cluster) => isAsked || cluster.snapshots);
  const name = snapshotName(world.wall.now());
  const touched = clusters.map((cluster) => ({
    machines: machinesOf(look, plan.changes, cluster.name),
    keep: cluster.snapshots?.keep ?? defaultKeep,
  }));
  const machines = touched.flatMap((each) => each.machines);
  await provider.demandRights(readContext(world), machines, "snapshots");
  const hindrances = await provider.snapshotHindrances(readContext(world), machines);
  if (hindrances[0]) throw noSnapshots(hindrances);
  const graph = touched.flatMap(({ machines: some, keep }) =>
    provider.describeSnapshots(some, { name, keep }),
  );
  const stepOf = new Map(
    machines.map(({ cluster, node }, index) => [`${cluster}/${node}`, graph[index]?.id]),
  );
  const taken = graph.map((node): Change => ({
    node,
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
  return { ...plan, changes: [...taken, ...changes] };
}

const isTouching = ({ action }: Change): boolean => action === "update" || action === "replace";

const machinesOf = ({ survey }: FleetLook, changes: Change[], cluster: string): OwnedMachine[] =>
  survey.machines.filter(
    (machine) =>
      machine.cluster === cluster &&
      changes.some(
        (change) =>
          isTouching(change) && change.node.cluster === cluster && change.node.node === machine.node,
      ),
  );
