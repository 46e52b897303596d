import { readFile } from "node:fs/promises";
import path from "node:path";
import {
  partOf,
  spoolPart,
  type BackupFacts,
  type BackupPart,
  type SpooledPart,
} from "../../backups/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import type { StepContext } from "../../plan/index.ts";
import type { Cluster, Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import type { Parts } from "../planning/assemble.ts";
import { readSources } from "../fleet/load-fleet.ts";
import { describeCluster } from "./describe-cluster.ts";
import { backupWithoutSecrets, someFilesMissing } from "./errors.ts";
import { referredFiles } from "./referred-files.ts";

/** All that goes into a backup, ready to be packed more than once. */
export interface GatheredParts extends AsyncDisposable {
  facts: BackupFacts;
  parts: BackupPart[];
}

export const snapshotMember = "etcd/snapshot.db";

/** Reads everything. The database comes last, so that it is as young as can be, and waits in `folder` for its turn. */
export async function gatherParts(
  { fleet, cluster, folder }: { fleet: Fleet; cluster: Cluster; folder: string },
  parts: Parts,
  world: World,
  ctx: StepContext,
): Promise<GatheredParts> {
  const secrets = await secretParts(cluster, parts, world);
  const files = await referredFiles(await readSources(fleet.file));
  const [lost] = files.missing;
  if (lost) throw someFilesMissing({ cluster: cluster.name, file: lost.path, from: lost.from });
  const described = await describeCluster(fleet, cluster, parts, world);
  const database = await readDatabase(cluster, folder, parts, ctx);
  const facts: BackupFacts = {
    cluster: cluster.name,
    madeAt: new Date(world.clock.now()).toISOString(),
    slipway: world.slipway,
    ...described,
    ...(database && { snapshot: { member: snapshotMember, node: database.node } }),
    file: (await isFolder(fleet.file, files.parts)) ? "." : path.basename(fleet.file),
    files: files.files,
    needs: files.needs,
  };
  return {
    facts,
    parts: [...secrets, ...files.parts, ...addonParts(cluster), ...(database ? [database.part] : [])],
    async [Symbol.asyncDispose]() {
      await database?.part[Symbol.asyncDispose]();
    },
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
async function readDatabase(
  cluster: Cluster,
  folder: string,
  { distribution }: Parts,
  ctx: StepContext,
): Promise<{ node: string; part: SpooledPart } | undefined> {
  const [healthy, leader] = await Promise.all([
    distribution.healthyNodes(cluster),
    distribution.leader?.(cluster),
  ]);
  const rank = (name: string): number => (healthy.has(name) ? 0 : 2) + (name === leader ? 1 : 0);
  const candidates = cluster.nodes
    .filter(({ role }) => role === "control-plane")
    .map(({ name }) => name)
    .toSorted((a, b) => rank(a) - rank(b));
  for (const [index, node] of candidates.entries()) {
    const content = distribution.readDatabase?.(cluster, node, ctx.signal);
    if (!content) return undefined;
    try {
      return { node, part: await spoolPart(snapshotMember, content, folder) };
    } catch (thrown) {
      if (!(thrown instanceof SlipwayError) || index === candidates.length - 1) throw thrown;
      ctx.log("warn", `no snapshot from ${node}: ${thrown.why}`);
    }
  }
  return undefined;
}
