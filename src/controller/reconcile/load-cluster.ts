import { SlipwayError } from "../../errors/index.ts";
import { factsOf } from "../../operations/index.ts";
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

/**
 * Nobody watches Secrets: the next look reads them again where one of them may have been the reason. Documents are read at
 * every look anyway, and whoever waits for one must not take from its neighbours what was seen of their hosts.
 */
function readAnew<T>(thrown: T, hosts: string, { groups }: Controller): T {
  if (thrown instanceof SlipwayError && /^CONTROLLER_(SECRET|AGE_KEY|DOCUMENT_CLOSED)/.test(thrown.code))
    groups.expire(hosts);
  return thrown;
}

/** The object as a cluster of a fleet, with its files laid out. Throws whatever is wrong with it. */
export async function loadCluster(object: SlipwayCluster, controller: Controller): Promise<Loaded> {
  const { hosts } = object.spec;
  const group = await controller.groups.open(hosts);
  if (!group) throw hostsMissing({ cluster: object.metadata.name, hosts });
  const cluster = clusterIn(group, object);
  if (cluster instanceof SlipwayError) throw readAnew(cluster, hosts, controller);
  const files = controller.filesOf(object, group.world.folder);
  const bundle = factsOf(cluster).kubernetes?.secretsFile;
  await files
    .layOut(group.documentKeys && { ...group.documentKeys, bundle })
    .catch((thrown: unknown) => Promise.reject(readAnew(thrown, hosts, controller) as Error));
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
