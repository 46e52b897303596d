import type { GraphNode } from "./resource.ts";
import type { OwnedMachine } from "./contract/owned-machine.ts";
import type { KeptDisk } from "./contract/provider.ts";

/** `50 + 50`; a machine without data disks has nothing to say about them. */
export const dataFacts = (sizesGiB: number[]): Record<string, string> =>
  sizesGiB.length === 0 ? {} : { dataGiB: sizesGiB.join(" + ") };

/** What becomes of the data disks of a machine that leaves. `whereKept` says where those lie that outlive it. */
export function leftoverData(
  machine: Pick<OwnedMachine, "dataDisksGiB" | "keptDisks">,
  losesData: boolean,
  whereKept: (kept: Pick<KeptDisk, "volume">[]) => Record<string, string>,
): Required<Pick<GraphNode, "facts">> & Pick<GraphNode, "keeps"> {
  const kept = losesData ? [] : machine.keptDisks;
  const lost = machine.dataDisksGiB.length - kept.length;
  return {
    facts: {
      lostDisks: lost > 0 ? lost : undefined,
      ...(kept.length > 0 && {
        keptGiB: kept.map((disk) => disk.sizeGiB).join(" + "),
        ...whereKept(kept),
      }),
    },
    ...(kept.length > 0 && { keeps: kept.length === 1 ? "data disk" : `${kept.length} data disks` }),
  };
}

/** Images and pools belong to no cluster; they are told with the one that leaves. */
export function ownerOfShared(leftovers: GraphNode[], removing: string[]): string {
  const clusters = new Set([...removing, ...leftovers.map((node) => node.cluster)]);
  const [only] = clusters;
  return clusters.size === 1 && only !== undefined ? only : "shared";
}
