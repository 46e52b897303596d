import type { QuickStatus, UpgradableVersion, Versions } from "../../plan/index.ts";
import type { Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { notItsVersion, notUpgradable } from "../errors.ts";
import type { FieldEdit } from "./edit-file.ts";
import { selectClusters, type Selection } from "./select.ts";
import { assemble } from "../planning/assemble.ts";

export interface UpgradeRequest {
  fleet: Fleet;
  selection: Selection;
  /** Versions that were named, by what they are of; none: the newest allowed of each. */
  asked: Readonly<Versions>;
}

/** One version of a cluster: what runs, what the file says, and what may come. */
export interface VersionChoice {
  name: string;
  title: string;
  /** The oldest that a node runs; absent when none answers. */
  running?: string | undefined;
  wanted: string;
  /** Absent: it stays. */
  target?: string | undefined;
  path: string[];
}

export interface ClusterUpgrade {
  cluster: string;
  /** Where it is described. */
  file: string;
  versions: VersionChoice[];
}

/** What the clusters could be brought to next, from what their nodes run. Changes nothing. */
export async function upgradeChoices(request: UpgradeRequest, world: World): Promise<ClusterUpgrade[]> {
  const { fleet, selection, asked } = request;
  const parts = assemble(world, fleet);
  const clusters = selectClusters(fleet, selection);
  const able = clusters.filter((cluster) => parts.factsOf(cluster).upgrades !== undefined);
  const [first] = clusters;
  if (first && able.length === 0) throw notUpgradable(first.name);
  return Promise.all(
    able.map(async (cluster) => {
      const upgrades = parts.factsOf(cluster).upgrades ?? [];
      for (const [name, version] of Object.entries(asked))
        if (version !== undefined && !upgrades.some((each) => each.name === name))
          throw notItsVersion({ cluster: cluster.name, name, names: upgrades.map((each) => each.name) });
      const statuses = await parts.distribution.status(cluster, world.stop);
      const running = oldestOf(upgrades, [...statuses.values()]);
      return {
        cluster: cluster.name,
        file: cluster.at.file,
        versions: choose(upgrades, running, asked),
      };
    }),
  );
}

function choose(
  upgrades: UpgradableVersion[],
  running: Versions,
  asked: UpgradeRequest["asked"],
): VersionChoice[] {
  const isAsked = Object.values(asked).some((version) => version !== undefined);
  const targets: Versions = {};
  return upgrades.map((each): VersionChoice => {
    const { name, title, path, wanted } = each;
    const target = isAsked ? asked[name] : each.newestAfter(running, targets);
    if (target !== undefined) targets[name] = target;
    const found = running[name];
    return {
      ...{ name, title, wanted, path },
      running: found,
      target: target === wanted ? undefined : target,
    };
  });
}

/** What the file has to say for it. */
export const editsOf = ({ versions }: ClusterUpgrade): FieldEdit[] =>
  versions.flatMap(({ path, target }) => (target === undefined ? [] : [{ path, value: target }]));

/** `Talos 1.13.9` is 1.13.9. */
const oldestOf = (upgrades: UpgradableVersion[], statuses: QuickStatus[]): Versions =>
  Object.fromEntries(
    upgrades.map(({ name, toldAs, compare }) => [
      name,
      statuses
        .flatMap((status) => status[toldAs]?.split(" ").at(-1) ?? [])
        .toSorted(compare)
        .at(0),
    ]),
  );
