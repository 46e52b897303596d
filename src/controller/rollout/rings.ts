import type { UpgradableVersion } from "../../plan/index.ts";
import type { RolloutChange, RolloutRing, SlipwayCluster } from "../objects/index.ts";

/** Where a cluster stands in a roll-out. */
export type Standing = "untouched" | "changing" | "updated" | "failed";

/** A ring with its clusters. */
export interface Ring {
  name: string;
  members: SlipwayCluster[];
}

/** Clusters by name, in rings: each takes its count or its share of all, the last all that are left. */
export function ringsOf(rings: readonly RolloutRing[], clusters: readonly SlipwayCluster[]): Ring[] {
  const sorted = clusters.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  let begin = 0;
  return rings.map(({ name, clusters: size }, index) => {
    const isLast = index === rings.length - 1;
    const end = isLast ? sorted.length : Math.min(sorted.length, begin + sizeOf(size, sorted.length));
    const members = sorted.slice(begin, end);
    begin = end;
    return { name, members };
  });
}

/** `10%` of 14 is 2: a ring is never empty because there are few clusters. */
function sizeOf(size: number | string, all: number): number {
  const share = /^(\d+)%$/.exec(String(size))?.[1];
  return share === undefined ? Number(size) : Math.ceil((all * Number(share)) / 100);
}

/** The fields of a cluster that the change is about, and what they are to say. */
export function versionsFor(
  change: RolloutChange,
  upgrades: readonly UpgradableVersion[],
): { path: string[]; value: string }[] {
  return upgrades.flatMap((upgrade) => {
    const value =
      change.versions?.[upgrade.name] ?? (change.patches === true ? newestPatch(upgrade) : undefined);
    return value === undefined || value === upgrade.wanted ? [] : [{ path: upgrade.path, value }];
  });
}

/** Of the minor version that the cluster has: nothing that anybody has to read release notes for. */
function newestPatch({ known, wanted, compare }: UpgradableVersion): string | undefined {
  const minorOf = (version: string): string => version.split(".").slice(0, 2).join(".");
  const patches = known.filter(
    (version) => minorOf(version) === minorOf(wanted) && compare(version, wanted) > 0,
  );
  return patches.toSorted(compare).at(-1);
}

const failing = new Set(["RunFailed", "Invalid", "ChangesRefused", "NodesNotReady"]);

/** Read from its object alone: a controller that begins anew comes to the same. */
export function standingOf({ metadata, status }: SlipwayCluster, isAsked: boolean): Standing {
  if (!isAsked) return "untouched";
  const ready = status?.conditions.find(({ type }) => type === "Ready");
  if (status?.observedGeneration !== metadata.generation || ready === undefined) return "changing";
  if (ready.status === "True" && status?.reachedGeneration === metadata.generation) return "updated";
  return failing.has(ready.reason) ? "failed" : "changing";
}
