import { SlipwayError } from "../../errors/index.ts";
import type { Cluster } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { hostsMissing } from "../errors.ts";
import type { SlipwayCluster } from "../objects/index.ts";
import type { Controller } from "./context.ts";
import { clusterIn } from "./fleet-of.ts";
import type { OpenGroup } from "./host-groups.ts";
import type { ClusterFiles } from "./secrets/cluster-files.ts";

/** What a reconcile knows of its cluster once the object has been read. */
export interface Loaded {
  object: SlipwayCluster;
  cluster: Cluster;
  group: OpenGroup;
  files: ClusterFiles;
  world: World;
}

/** The object as a cluster of a fleet, with its files laid out. Throws whatever is wrong with it. */
export async function loadCluster(object: SlipwayCluster, controller: Controller): Promise<Loaded> {
  const { hosts } = object.spec;
  const group = await controller.groups.open(hosts);
  if (!group) throw hostsMissing({ cluster: object.metadata.name, hosts });
  const cluster = clusterIn(group, object);
  if ("code" in cluster) throw new SlipwayError(cluster);
  const files = controller.filesOf(object, group.world.folder);
  await files.layOut();
  const { stop } = controller.world;
  const secretFiles = files.keptBy(group.world.secretFiles);
  return {
    object,
    cluster,
    group,
    files,
    world: { ...group.world, secretFiles, stop, locks: controller.locks },
  };
}
