import type { PlacedNode, Survey } from "../../plan/index.ts";
import type { Cluster, LibvirtHost } from "../../spec/index.ts";
import { keptDiskElsewhere, keptDiskLarger } from "./errors.ts";

/** Refuses to make a node anew beside data disks that wait for it and that it could not take. */
export function demandKeptFit(cluster: Cluster, placed: PlacedNode<LibvirtHost>[], survey: Survey): void {
  for (const { node, host } of placed) {
    for (const kept of survey.keptDisks) {
      const wanted = node.dataDisks[kept.index];
      if (kept.cluster !== cluster.name || kept.node !== node.name || !wanted) continue;
      const names = { cluster: cluster.name, node: node.name };
      if (kept.host !== host.name) throw keptDiskElsewhere({ ...names, on: kept.on, wanted: host.name });
      if (kept.sizeGiB > wanted.sizeGiB)
        throw keptDiskLarger({
          ...names,
          number: kept.index + 1,
          keptGiB: kept.sizeGiB,
          wantedGiB: wanted.sizeGiB,
        });
    }
  }
}
