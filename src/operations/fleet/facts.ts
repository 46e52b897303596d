import { distributions as ours, type AnyDistribution } from "../../distros/index.ts";
import type { DistributionFacts } from "../../plan/index.ts";
import { distributionName, type Cluster } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";

type Known = Pick<World, "distributions">;

/** The distributions there are: Slipway's own, unless a world brings others. */
export const distributionsIn = ({ distributions = ours }: Known): readonly AnyDistribution[] => distributions;

/** What the distribution of a cluster says of itself. */
export function factsOf(cluster: Cluster, known: Known = {}): DistributionFacts {
  const name = distributionName(cluster);
  const found = distributionsIn(known).find((each) => each.name === name);
  if (!found) throw new Error(`no distribution is called ${name}`);
  return found.facts(cluster);
}
