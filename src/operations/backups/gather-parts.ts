import { readFile } from "node:fs/promises";
import path from "node:path";
import { partOf, type BackupFacts, type BackupPart } from "../../backups/index.ts";
import type { ClusterDatabase } from "../../plan/index.ts";
import type { Cluster, Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import type { Parts } from "../planning/assemble.ts";
import { readSources } from "../fleet/load-fleet.ts";
import { describeCluster } from "./describe-cluster.ts";
import { backupWithoutSecrets, someFilesMissing } from "./errors.ts";
import { referredFiles } from "./referred-files.ts";

/** All that goes into a backup. */
export interface GatheredParts {
  /** With the node its database is read from. */
  facts(node: string | undefined): BackupFacts;
  parts: BackupPart[];
  /** Whom to ask for the database, best first; of one that fails the next is asked. None: there is no database to keep. */
  databases: { node: string; database: ClusterDatabase }[];
}

export const snapshotMember = "etcd/snapshot.db";

/** Reads everything but the database, which comes last, so that it is as young as can be. */
export async function gatherParts(
  { fleet, cluster }: { fleet: Fleet; cluster: Cluster },
  parts: Parts,
  world: World,
  signal: AbortSignal,
): Promise<GatheredParts> {
  const secrets = await secretParts(cluster, parts, world);
  const files = await referredFiles(await readSources(fleet.file));
  const [lost] = files.missing;
  if (lost) throw someFilesMissing({ cluster: cluster.name, file: lost.path, from: lost.from });
  const described = await describeCluster(fleet, cluster, parts, world);
  const file = (await isFolder(fleet.file, files.parts)) ? "." : path.basename(fleet.file);
  return {
    facts: (node) => ({
      cluster: cluster.name,
      madeAt: new Date(world.clock.now()).toISOString(),
      slipway: world.slipway,
      ...described,
      ...(node !== undefined && { snapshot: { member: snapshotMember, node } }),
      file,
      files: files.files,
      needs: files.needs,
    }),
    parts: [...secrets, ...files.parts, ...addonParts(cluster)],
    databases: await databasesOf(cluster, parts, signal),
  };
}

/** Several files make a fleet where `-f` names their folder. */
const isFolder = async (file: string, parts: BackupPart[]): Promise<boolean> =>
  !parts.some(({ name }) => name === `file/${path.basename(file)}`);

/** The secret files in plain text, as they would lie in `.slipway`, and by which keys machines are known. */
async function secretParts(
  { name: cluster, ...rest }: Cluster,
  { factsOf }: Parts,
  { secretFiles, folder }: World,
): Promise<BackupPart[]> {
  const kept = [...new Set((await secretFiles.list(cluster)).map(({ name }) => name))].toSorted();
  const wanted = factsOf({ name: cluster, ...rest }).kubernetes?.secretsFile;
  if (wanted !== undefined && !kept.includes(wanted))
    throw backupWithoutSecrets({ cluster, file: secretFiles.fileOf(cluster, wanted) });
  const texts = await Promise.all(
    kept.map(async (name) => partOf(`secrets/${name}`, (await secretFiles.read(cluster, name)) ?? "")),
  );
  const knownHosts = await readFile(path.join(folder, cluster, "known_hosts"), "utf8").catch(() => undefined);
  return knownHosts === undefined ? texts : [...texts, partOf("state/known_hosts", knownHosts)];
}

/** What each add-on is installed with, defaults included: a later Slipway may have others. */
const addonParts = ({ addons }: Cluster): BackupPart[] =>
  addons.map(({ id, name, version, chart, options, values, owner }) =>
    partOf(
      `addons/${id}.json`,
      `${JSON.stringify({ name, version, owner, chart, options, values }, null, 2)}\n`,
    ),
  );

/** From a control plane that is whole if there is one, rather not the leader's, which has enough to do. */
async function databasesOf(
  cluster: Cluster,
  { distribution }: Parts,
  signal: AbortSignal,
): Promise<GatheredParts["databases"]> {
  const [healthy, leader] = await Promise.all([
    distribution.healthyNodes(cluster),
    distribution.leader?.(cluster),
  ]);
  const rank = (name: string): number => (healthy.has(name) ? 0 : 2) + (name === leader ? 1 : 0);
  return cluster.nodes
    .filter(({ role }) => role === "control-plane")
    .map(({ name }) => name)
    .toSorted((a, b) => rank(a) - rank(b))
    .flatMap((node) => {
      const database = distribution.readDatabase?.(cluster, node, signal);
      return database ? [{ node, database }] : [];
    });
}
