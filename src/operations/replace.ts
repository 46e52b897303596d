import type { Fleet } from "../spec/index.ts";
import type { World } from "../world/index.ts";
import { findNode } from "./fleet/find-node.ts";
import { controlPlaneFromBackup } from "./planning/machine-backups/errors.ts";
import type { RunReport } from "./run/run-report.ts";
import { upFleet, type UpRequest } from "./up.ts";

export interface ReplaceRequest extends Pick<UpRequest, "confirm" | "lostHosts" | "backupStorage"> {
  fleet: Fleet;
  /** `homelab/cp-2`, or `cp-2` where one cluster alone has such a node. */
  node: string;
  /** The machine comes from a backup of it: the named one, or the newest where none is named. */
  fromBackup?: { archive?: string | undefined } | undefined;
}

/**
 * Make the machine of one node again, under its name, with its address, number and data disks. What lives is emptied
 * first and leaves etcd; what is dead is forgotten by the cluster. Safe to run again, also after it was cut. From a backup
 * come only workers: etcd must not go back in time.
 */
export function replaceNode(
  { fleet, node: name, fromBackup, ...request }: ReplaceRequest,
  world: World,
): Promise<RunReport> {
  const { cluster, node } = findNode(fleet, name);
  const label = `${cluster.name}/${node.name}`;
  const { lostHosts = [], backupStorage } = request;
  if (fromBackup && node.role === "control-plane") {
    const controlPlanes = cluster.nodes.filter(({ role }) => role === "control-plane");
    throw controlPlaneFromBackup({ label, isAlone: controlPlanes.length === 1 });
  }
  return upFleet(
    {
      ...request,
      fleet,
      selection: { cluster: cluster.name, node: node.name },
      until: "kubernetes",
      acceptDataLoss: [],
      replaces: [label],
      fromBackup: fromBackup && { node: label, archive: fromBackup.archive },
      // By its name: the newest one may be of the machine that is replaced.
      again: (archives) =>
        [
          `slipway replace ${label}`,
          ...(fromBackup
            ? ["--from-backup", archives.get(label)?.archive ?? fromBackup.archive ?? []].flat()
            : []),
          ...(backupStorage === undefined ? [] : ["--backup-machines", backupStorage]),
          ...(lostHosts.length > 0 ? ["--host-lost", ...lostHosts] : []),
        ].join(" "),
    },
    world,
  );
}
