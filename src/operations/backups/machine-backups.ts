import type { MachineBackup } from "../../plan/index.ts";
import type { Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { selectClusters, type Selection } from "../fleet/select.ts";
import { assemble, hostsOf, readContext } from "../planning/assemble.ts";
import { hostsUnreachable } from "../planning/errors.ts";
import { wantedArchive } from "../planning/machine-backups/from-backup.ts";

/** Every backup of these machines that Proxmox keeps and the token may see, also of machines that are gone. */
export async function listMachineBackups(
  { fleet, selection }: { fleet: Fleet; selection: Selection },
  world: World,
): Promise<MachineBackup[]> {
  const clusters = selectClusters(fleet, selection);
  const { provider } = assemble(world, fleet);
  const survey = await provider.survey(readContext(world), hostsOf(fleet, clusters));
  if (survey.unreachable.length > 0) throw hostsUnreachable("list backups of machines", survey.unreachable);
  const nodes = clusters.flatMap((cluster) =>
    cluster.nodes
      .filter(({ name }) => selection.node === undefined || name === selection.node)
      .map((node) => wantedArchive(cluster, node, survey)),
  );
  return provider.machineBackups.list(readContext(world), nodes);
}
