import type { OwnedMachine } from "../../plan/index.ts";
import type { Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { selectClusters, type Selection } from "../fleet/select.ts";
import { assemble, hostsOf, readContext, type Parts } from "./assemble.ts";
import { hostsUnreachable } from "./errors.ts";

/** All machines of the selected clusters, and the selected ones among them. A host that does not answer is an error. */
export async function surveyMachines(
  { fleet, selection }: { fleet: Fleet; selection: Selection },
  doing: string,
  world: World,
): Promise<{ parts: Parts; all: OwnedMachine[]; machines: OwnedMachine[] }> {
  const clusters = selectClusters(fleet, selection);
  const parts = assemble(world, fleet);
  const survey = await parts.provider.survey(readContext(world), hostsOf(fleet, clusters));
  if (survey.unreachable.length > 0) throw hostsUnreachable(doing, survey.unreachable);
  const all = survey.machines.filter((machine) =>
    clusters.some((cluster) => cluster.name === machine.cluster),
  );
  const machines = all.filter((machine) => selection.node === undefined || machine.node === selection.node);
  return { parts, all, machines };
}
