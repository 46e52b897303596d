import { runPlan } from "../../engine/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import { comparePlan } from "../../plan/index.ts";
import type { Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { describeFleet } from "../planning/describe-fleet.ts";
import { assemble, hostsOf, readContext } from "../planning/assemble.ts";
import { noCloudAccount } from "../errors.ts";
import { whileLocked } from "../run/guarded-run.ts";
import { hostsUnreachable } from "../planning/errors.ts";
import { selectClusters } from "../fleet/select.ts";

export interface Rotation {
  cluster: string;
  /** Where the new secrets are. */
  file: string;
  /** Hosts, one for each Proxmox, whose token was replaced. */
  hosts: string[];
}

/** Replaces the tokens of a cluster's Proxmox account. The old ones are worth nothing from then on. */
export async function rotateAccount(
  request: { fleet: Fleet; cluster: string },
  world: World,
): Promise<Rotation> {
  const [cluster] = selectClusters(request.fleet, { cluster: request.cluster });
  if (!cluster) throw new Error("a name always selects a cluster");
  if (!cluster.hasCloudAccount) throw noCloudAccount(cluster.name, cluster.at);
  const run = { command: "proxmox rotate", fleet: request.fleet, clusters: [cluster.name] };
  return whileLocked(run, world, async () => {
    const parts = assemble(world, request.fleet);
    const ctx = readContext(world);
    const survey = await parts.provider.survey(ctx, hostsOf(request.fleet, [cluster]));
    if (survey.unreachable.length > 0)
      throw hostsUnreachable(`rotate the token of "${cluster.name}"`, survey.unreachable);
    const { graph } = await describeFleet(request.fleet, [cluster], survey, parts);
    const accounts = parts.provider.accounts.rotated(graph);
    const plan = await comparePlan(accounts, parts.kinds, readContext(world, survey));
    const result = await runPlan(plan, parts.kinds, world);
    const [failure] = result.failed;
    if (failure) throw new SlipwayError(failure.error);
    const hosts = accounts.flatMap((node) => node.host ?? []);
    return {
      cluster: cluster.name,
      file: world.secretFiles.fileOf(cluster.name, "proxmox-account.yaml"),
      hosts,
    };
  });
}
