import type { Change, Consequence, Plan, Survey } from "../../../plan/index.ts";
import type { Cluster } from "../../../spec/index.ts";
import type { World } from "../../../world/index.ts";
import { readContext, type Parts } from "../assemble.ts";
import type { MadeAgain } from "../made-again.ts";
import { touchedMachines, withStepsBefore } from "../snapshots/steps-before.ts";
import { snapshotName } from "../snapshots/with-snapshots.ts";
import { noMachineBackups } from "./errors.ts";

interface Surveyed {
  clusters: Cluster[];
  survey: Survey;
  parts: Parts;
  again: MadeAgain;
}

/**
 * Puts a backup of the whole machine before every change that may interrupt or remove it, where the file or the user asks
 * for it. A machine that is made again from a backup gets none: the newest would be of what is thrown away.
 */
export async function withMachineBackups(
  plan: Plan,
  { clusters, survey, parts: { provider, kinds }, again }: Surveyed,
  storage: string | undefined,
  world: World,
): Promise<Plan> {
  const ctx = readContext(world);
  const name = snapshotName(world.clock.now());
  const isTouching = (change: Change): boolean =>
    isDangerous(change) && !again.archives?.has(`${change.node.cluster}/${change.node.node ?? ""}`);
  const touching = plan.changes.filter(isTouching);
  let planned = plan;
  for (const cluster of clusters) {
    const to = storage ?? cluster.machineBackups?.storage;
    const machines = touchedMachines(survey.machines, touching, cluster.name);
    if (to === undefined || machines.length === 0) continue;
    const blockers = await provider.machineBackups.blockers(ctx, machines, to);
    if (blockers[0]) throw noMachineBackups(blockers);
    await provider.demandRights(ctx, machines, "backups", to);
    const graph = provider.machineBackups.describe(machines, { storage: to, name }).map((node, index) => ({
      ...node,
      after: [...node.after, ...snapshotsBefore(plan, cluster.name, machines[index]?.node)],
    }));
    planned = withStepsBefore(planned, { machines, graph }, kinds, isTouching);
  }
  return planned;
}

const harmless: Consequence[] = ["create", "hot"];

/** What waits for its window is not done in this run. */
const isDangerous = ({ action, consequence, waits }: Change): boolean =>
  waits === undefined && action !== "create" && !harmless.includes(consequence);

/** Proxmox does one of the two to a machine at a time. */
function snapshotsBefore({ changes }: Plan, cluster: string, node: string | undefined): string[] {
  const waited = new Set(
    changes
      .filter((change) => change.node.cluster === cluster && change.node.node === node)
      .flatMap((change) => change.node.after),
  );
  return changes
    .filter((change) => change.node.kind.endsWith("/snapshot") && waited.has(change.node.id))
    .map((change) => change.node.id);
}
