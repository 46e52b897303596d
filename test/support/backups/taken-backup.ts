import { openBackup, partOf, type OpenedBackup } from "../../../src/backups/index.ts";
import { readBody } from "../../../src/lib/index.ts";
import { assemble } from "../../../src/operations/planning/assemble.ts";
import { distributionName, type Fleet } from "../../../src/spec/index.ts";
import type { World } from "../../../src/world/index.ts";
import { bytesSource, packAll, someFacts, someKeys } from "./some-backup.ts";

const never = new AbortController().signal;

/** A backup of the first cluster of a fleet as it is now. */
export async function takenBackup(world: World, fleet: Fleet): Promise<OpenedBackup> {
  const [cluster] = fleet.clusters;
  const [first] = cluster?.nodes ?? [];
  if (!cluster || !first) throw new Error("nothing to back up");
  const database = assemble(world, fleet).distribution.readDatabase?.(cluster, first.name, never);
  if (!database) throw new Error("it has no database");
  const snapshot = await readBody(
    database.read(() => undefined),
    Infinity,
  );
  const kept = await world.secretFiles.list(cluster.name);
  const parts = await Promise.all(
    kept.map(async ({ name }) =>
      partOf(`secrets/${name}`, (await world.secretFiles.read(cluster.name, name)) ?? ""),
    ),
  );
  const { keys, recipients } = await someKeys();
  const archive = await packAll(
    recipients,
    [...parts, partOf("etcd/snapshot.db", snapshot), partOf("file/cluster.yaml", "name: lab\n")],
    {
      ...someFacts,
      files: [],
      machines: cluster.nodes.map(({ name: node, role, address }) => ({ node, role, address })),
      cluster: cluster.name,
      distribution: distributionName(cluster),
      versions: { kubernetes: cluster.kubernetes },
      madeAt: new Date(world.wall.now()).toISOString(),
    },
  );
  return openBackup(bytesSource(archive), keys);
}
