import type { OpenedBackup } from "../../backups/index.ts";
import type { Recovery } from "../../plan/index.ts";
import { distributionName, type Cluster, type Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { selectClusters } from "../fleet/select.ts";
import { assemble } from "../planning/assemble.ts";
import { runReportOf, type RunReport } from "../run/run-report.ts";
import { upFleet, type ApprovedPlan, type UpRequest } from "../up.ts";
import { askDatabase } from "./database-state.ts";
import {
  clusterRuns,
  copyNamesTaken,
  copyNotInFile,
  copyOfItself,
  copyOnOriginal,
  foreignNode,
  noSnapshotInBackup,
  olderKubernetes,
  otherClusterInBackup,
  otherDistribution,
} from "./errors.ts";
import { putSecretsBack, type SecretsOfCopy } from "./put-back.ts";
import { backupId, findMark, recoverySource, removeMark } from "./recovery-mark.ts";

export interface RestoreRequest extends Pick<UpRequest, "lostHosts"> {
  fleet: Fleet;
  cluster: string;
  backup: OpenedBackup;
  /** As the person named it. */
  source: string;
  /** `cluster` is another one than that of the backup: a copy beside it, with addresses of its own. */
  isCopy?: boolean | undefined;
  confirm(restoration: Restoration): Promise<boolean>;
}

/** The secrets of a cluster alone, for one that runs. Gives back the files that were not there. */
export async function restoreSecrets(
  request: Omit<RestoreRequest, "confirm" | "lostHosts">,
  world: World,
): Promise<string[]> {
  const cluster = demandFitting(request, world);
  return (await putSecretsBack(request.backup, cluster.name, world, copying(request, cluster, world)))
    .written;
}

/** What a restore would do, for the person who has to agree to it. */
export interface Restoration {
  cluster: Cluster;
  preview: ApprovedPlan;
  takenAt: string;
  /** How old the backup is: all that was written since is lost. */
  ageMs: number;
  /** Secrets that were put back, by file. */
  secrets: string[];
  /** The cluster it is a copy of. */
  copyOf?: string | undefined;
  /** Absent where the database is back already, and only the rest is left to do. */
  recovery?: Recovery | undefined;
}

/**
 * Bring a cluster back from a backup: its secrets, its database, and then all that `up` does. Safe to run again: a database
 * that was brought back is found and kept.
 */
export function restoreCluster(request: RestoreRequest, world: World): Promise<RunReport> {
  return runReportOf(world, world.clock.now(), async () => {
    const { fleet, backup } = request;
    const cluster = demandFitting(request, world);
    const copy = copying(request, cluster, world);
    const { written: secrets } = await putSecretsBack(backup, cluster.name, world, copy);
    const recovery = await planRecovery(request, cluster, world); // up to here nothing was replaced
    const source = recoverySource(world, cluster.name, backup);
    const report = await upFleet(
      {
        fleet,
        selection: { cluster: cluster.name },
        until: "addons",
        lostHosts: request.lostHosts,
        acceptDataLoss: recovery?.holding ?? [],
        restores: { cluster: cluster.name, recovery, copyOf: copyOf(request) },
        again: () => `slipway restore "${request.source}" ${request.isCopy ? "--as " : ""}${cluster.name}`,
        confirm: (preview) =>
          request.confirm(restorationOf(request, world, { preview, cluster, secrets, recovery })),
      },
      { ...world, recoverySource: () => source },
    );
    if (report.outcome === "done" || report.outcome === "unchanged") await removeMark(world, cluster.name);
    return report;
  });
}

const copyOf = ({ isCopy, backup }: Pick<RestoreRequest, "isCopy" | "backup">): string | undefined =>
  isCopy ? backup.contents.cluster : undefined;

/** Of a copy the secrets are those of the original, but for what would make one cluster of both. */
function copying(
  { isCopy, fleet }: Pick<RestoreRequest, "isCopy" | "fleet">,
  cluster: Cluster,
  world: World,
): SecretsOfCopy | undefined {
  if (!isCopy) return undefined;
  const { distribution, factsOf } = assemble(world, fleet);
  return {
    file: factsOf(cluster).kubernetes?.secretsFile,
    change: (text) => distribution.copySecrets?.(cluster, text) ?? text,
  };
}

const restorationOf = (
  request: RestoreRequest,
  { clock }: Pick<World, "clock">,
  known: Pick<Restoration, "preview" | "cluster" | "secrets" | "recovery">,
): Restoration => ({
  ...known,
  copyOf: copyOf(request),
  takenAt: request.backup.contents.madeAt,
  ageMs: Math.max(0, clock.now() - Date.parse(request.backup.contents.madeAt)),
});

/** The cluster of the file that the backup is of, in a version that reads it. */
function demandFitting(
  request: Pick<RestoreRequest, "fleet" | "cluster" | "backup" | "source" | "isCopy">,
  world: World,
): Cluster {
  const { fleet, cluster: name, source } = request;
  const { contents } = request.backup;
  if (request.isCopy) demandBeside(request, world);
  else if (contents.cluster !== name)
    throw otherClusterInBackup({ backup: source, cluster: name, of: contents.cluster });
  const [cluster] = selectClusters(fleet, { cluster: name });
  if (!cluster) throw new Error(`no cluster is called ${name}`);
  const wanted = distributionName(cluster);
  if (contents.distribution !== wanted)
    throw otherDistribution({ cluster: name, of: contents.distribution, wanted });
  const of = contents.versions["kubernetes"];
  if (of !== undefined && minorOf(cluster.kubernetes) < minorOf(of))
    throw olderKubernetes({ cluster: name, of, wanted: cluster.kubernetes });
  return cluster;
}

/** A copy has a name and addresses that the original has not. */
function demandBeside(
  { fleet, cluster: name, backup: { contents } }: Pick<RestoreRequest, "fleet" | "cluster" | "backup">,
  world: World,
): void {
  const original = contents.cluster;
  if (name === original) throw copyOfItself({ cluster: name });
  const copy = fleet.clusters.find((each) => each.name === name);
  if (!copy) throw copyNotInFile({ copy: name, of: original });
  const taken = new Map(contents.machines.map(({ node, address }) => [address, node]));
  const [clash] = copy.nodes.filter(({ address }) => taken.has(address));
  if (clash)
    throw copyOnOriginal({
      ...{ copy: name, of: original, node: clash.name, address: clash.address },
      original: taken.get(clash.address) ?? "",
    });
  if (copy.network.vip === undefined || !assemble(world, fleet).factsOf(copy).kubernetes?.isVipInPod) return;
  const names = new Set(contents.machines.map(({ node }) => node));
  const same = copy.nodes.map((node) => node.name).filter((node) => names.has(node));
  if (same.length > 0) throw copyNamesTaken({ copy: name, of: original, nodes: same });
}

const minorOf = (version: string): number => {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  return major * 1000 + minor;
};

/** What has to go before the database comes; undefined when it is back already. Refuses while another one works. */
async function planRecovery(
  { backup, source, fleet }: RestoreRequest,
  cluster: Cluster,
  world: World,
): Promise<Recovery | undefined> {
  const { contents } = backup;
  const snapshot = contents.members.find(({ name }) => name === contents.snapshot?.member);
  if (!snapshot) throw noSnapshotInBackup({ backup: source, cluster: cluster.name });
  const { distribution } = assemble(world, fleet);
  const { working, holding, foreign } = await askDatabase(distribution, cluster, world);
  const [stranger] = foreign;
  if (stranger !== undefined) throw foreignNode({ cluster: cluster.name, node: stranger });
  const id = backupId(contents);
  if (working.length > 0) {
    if ((await findMark(world, cluster.name))?.backup === id) return undefined;
    throw clusterRuns({ backup: source, cluster: cluster.name, nodes: working });
  }
  return {
    backup: id,
    takenAt: contents.madeAt,
    bytes: snapshot.sizeBytes,
    sha256: snapshot.sha256,
    holding,
  };
}
