import type { Fleet } from "../spec/index.ts";
import type { World } from "../world/index.ts";
import { findNode } from "./fleet/find-node.ts";
import type { RunReport } from "./run/run-report.ts";
import { upFleet, type UpRequest } from "./up.ts";

export interface ReplaceRequest extends Pick<UpRequest, "confirm" | "lostHosts"> {
  fleet: Fleet;
  /** `homelab/cp-2`, or `cp-2` where one cluster alone has such a node. */
  node: string;
}

/**
 * Make the machine of one node again, under its name, with its address, number and data disks. What lives is emptied
 * first and leaves etcd; what is dead is forgotten by the cluster. Safe to run again, also after it was cut.
 */
export function replaceNode(
  { fleet, node: name, ...request }: ReplaceRequest,
  world: World,
): Promise<RunReport> {
  const { cluster, node } = findNode(fleet, name);
  return upFleet(
    {
      ...request,
      fleet,
      selection: { cluster: cluster.name, node: node.name },
      until: "kubernetes",
      acceptDataLoss: [],
      replaces: [`${cluster.name}/${node.name}`],
    },
    world,
  );
}
