import type { BackupFacts } from "../../backups/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import type { Survey } from "../../plan/index.ts";
import { distributionName, type Cluster, type Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { hostsOf, readContext, type Parts } from "../planning/assemble.ts";

/** What a backup says of the cluster without its key: what runs, on which machines, with which disks. */
export async function describeCluster(
  fleet: Fleet,
  cluster: Cluster,
  parts: Parts,
  world: World,
): Promise<Pick<BackupFacts, "distribution" | "versions" | "machines" | "volumes">> {
  const [versions, survey] = await Promise.all([
    versionsOf(cluster, parts, world),
    surveyIfPossible(fleet, cluster, parts, world),
  ]);
  const machines = survey?.machines.filter((machine) => machine.cluster === cluster.name) ?? [];
  const kept = survey?.keptDisks.filter((disk) => disk.cluster === cluster.name) ?? [];
  return {
    distribution: distributionName(cluster),
    versions,
    machines: cluster.nodes.map(({ name, role, address, host }) => {
      const found = machines.find((machine) => machine.node === name);
      const on = found?.host ?? host;
      return {
        ...{ node: name, role, address },
        ...(on !== undefined && { host: on }),
        ...(found?.id !== undefined && { id: found.id }),
      };
    }),
    volumes: [
      ...cluster.nodes.flatMap(({ name, dataDisks }) =>
        dataDisks.map((disk, index) => ({
          node: name,
          name: disk.for ?? `data ${index + 1}`,
          sizeGiB: disk.sizeGiB,
        })),
      ),
      ...kept.map(({ volume, sizeGiB, host }) => ({ name: volume, sizeGiB, host })),
    ],
  };
}

/** As the nodes say; as the file does where none answers. */
async function versionsOf(
  cluster: Cluster,
  { distribution, factsOf }: Parts,
  world: World,
): Promise<Record<string, string>> {
  const { title } = factsOf(cluster);
  const found = [...(await distribution.status(cluster, world.stop)).values()];
  const releases = found.flatMap(({ release }) => release?.slice(title.length + 1) ?? []);
  const kubelets = found.flatMap(({ kubernetes }) => kubernetes ?? []);
  const own =
    lowest(releases) ?? ("version" in cluster.distribution ? cluster.distribution.version : undefined);
  const kubernetes = lowest(kubelets) ?? (cluster.kubernetes === "" ? undefined : cluster.kubernetes);
  return {
    ...(typeof own === "string" && { [distributionName(cluster)]: own }),
    ...(kubernetes !== undefined && { kubernetes }),
  };
}

/** In the midst of an upgrade there are two: whatever reads the backup has to read the older. */
const lowest = (versions: string[]): string | undefined =>
  versions.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))[0];

/** The hosts only tell where machines are: a backup does without them rather than not at all. */
async function surveyIfPossible(
  fleet: Fleet,
  cluster: Cluster,
  { provider }: Parts,
  world: World,
): Promise<Survey | undefined> {
  try {
    const survey = await provider.survey(readContext(world), hostsOf(fleet, [cluster]));
    for (const { host, error } of survey.unreachable)
      warn(world, `host ${host} cannot be asked where its machines are: ${error.why}`);
    return survey;
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
    warn(world, `the hosts cannot be asked where their machines are: ${thrown.why}`);
    return undefined;
  }
}

const warn = ({ tell }: World, text: string): void => tell({ type: "log", level: "warn", text });
