import { SlipwayError } from "../errors/index.ts";
import { comparePlan } from "../plan/index.ts";
import type { Fleet } from "../spec/index.ts";
import type { World } from "../world.ts";
import { assemble, describeFleet, hostsOf, readContext } from "./assemble.ts";
import { noCloudAccount } from "./errors.ts";
import { runWithGrace, whileLocked } from "./guarded-run.ts";
import { hostsSilent } from "./run-errors.ts";
import { selectClusters } from "./select.ts";

export interface Rotation {
  cluster: string;
  /** Where the new secrets are. */
  file: string;
  /** Hosts, one for each Proxmox, whose token was made anew. */
  hosts: string[];
}

/** Makes the tokens of a cluster's Proxmox account anew. The old ones are worth nothing from then on. */
export async function rotateAccount(
  request: { fleet: Fleet; cluster: string },
  world: World,
): Promise<Rotation> {
  const [cluster] = selectClusters(request.fleet, { cluster: request.cluster });
  if (!cluster) throw new Error("a name always selects a cluster");
  if (!cluster.hasCloudAccount) throw noCloudAccount(cluster.name, cluster.at);
  const run = { command: "proxmox rotate", fleet: request.fleet, clusters: [cluster.name] };
  return whileLocked(run, world, async () => {
    const parts = assemble(world);
    const ctx = readContext(world);
    const survey = await parts.provider.survey(ctx, hostsOf(request.fleet, [cluster]));
    if (survey.silent.length > 0) throw hostsSilent(`rotate the token of "${cluster.name}"`, survey.silent);
    const { graph } = await describeFleet(request.fleet, [cluster], survey, parts);
    const accounts = graph
      .filter((node) => node.kind === "proxmox/account")
      .map((node) => ({ ...node, want: { ...(node.want as object), isRotated: true } }));
    const plan = await comparePlan(accounts, parts.kinds, ctx);
    const result = await runWithGrace(plan, parts, world);
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
