import type { SlipwayError } from "../../errors/index.ts";
import type { PlacedNode, Survey } from "../../plan/index.ts";
import { nodeNameOf, type Cluster } from "../../spec/index.ts";

interface OfNode {
  cluster: string;
  node: string;
}

/** How a hypervisor says what keeps a disk from coming back. */
interface Refusals {
  keptDiskElsewhere(f: OfNode & { on: string; wanted: string }): SlipwayError;
  keptDiskLarger(f: OfNode & { index: number; keptGiB: number; wantedGiB: number }): SlipwayError;
}

/** Refuses to make a node again beside data disks that wait for it and that it could not take. */
export function demandKeptFit(
  cluster: Cluster,
  placed: PlacedNode[],
  survey: Survey,
  { keptDiskElsewhere, keptDiskLarger }: Refusals,
): void {
  for (const { node, host, on = nodeNameOf(host) } of placed) {
    for (const kept of survey.keptDisks) {
      const wanted = node.dataDisks[kept.index];
      if (kept.cluster !== cluster.name || kept.node !== node.name || !wanted) continue;
      const names = { cluster: cluster.name, node: node.name };
      if (kept.on !== on) throw keptDiskElsewhere({ ...names, on: kept.on, wanted: on });
      if (kept.sizeGiB > wanted.sizeGiB)
        throw keptDiskLarger({
          ...names,
          index: kept.index,
          keptGiB: kept.sizeGiB,
          wantedGiB: wanted.sizeGiB,
        });
    }
  }
}
