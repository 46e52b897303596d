import { bootMedia, imageFactory, type BootMedia } from "../images/index.ts";
import type { Fleet } from "../spec/index.ts";
import type { World } from "../world/index.ts";
import { noBootMedia } from "./errors.ts";
import { selectClusters, type Selection } from "./fleet/select.ts";

export interface ImageRequest {
  fleet: Fleet;
  selection: Selection;
  /** Where the ISO is written. Left out: nothing is fetched. */
  output?: string | undefined;
  onProgress?(bytes: number, total?: number): void;
}

/** Boot media of a cluster. */
export interface ClusterMedia extends BootMedia {
  cluster: string;
  /** The file the ISO was written to. */
  file?: string | undefined;
}

/** What machines without a hypervisor are started from. The factory is told of it, so that it builds what is asked for. */
export async function bootMediaOf(request: ImageRequest, world: World): Promise<ClusterMedia[]> {
  const { fleet, selection, output, onProgress } = request;
  const clusters = selectClusters(fleet, selection);
  const without = clusters.find((cluster) => imageFactory(cluster) === undefined);
  if (without && (selection.cluster !== undefined || clusters.length === 1)) throw noBootMedia(without.name);
  const media: ClusterMedia[] = [];
  for (const cluster of clusters.filter((each) => imageFactory(each) !== undefined)) {
    const found = bootMedia(cluster);
    await world.openFactory(found.factory).register(found.schematic, world.stop);
    const file = output !== undefined && media.length === 0 ? output : undefined;
    if (file !== undefined) await world.fetchFile(found.iso, file, onProgress);
    media.push({ cluster: cluster.name, ...found, file });
  }
  return media;
}
