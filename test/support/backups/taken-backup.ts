import { connectTalos } from "../../../src/clients/talos/index.ts";
import { issueTalosClient } from "../../../src/distros/talos/config/index.ts";
import { openBackup, partOf, type OpenedBackup } from "../../../src/backups/index.ts";
import { readBody } from "../../../src/lib/index.ts";
import { secretStore } from "../../../src/secrets/index.ts";
import type { World } from "../../../src/world/index.ts";
import { bytesSource, packAll, someFacts, someKeys } from "./some-backup.ts";

export async function takenBackup(world: World, cluster: string, address: string): Promise<OpenedBackup> {
  const { secretFiles: files, folder, wall, random, clock, calls } = world;
  const bundle = await secretStore({ folder, files, clock: wall, random }).find(cluster);
  if (!bundle) throw new Error("no secrets");
  const identity = { ca: bundle.os.cert, ...(await issueTalosClient(bundle, { clock: wall, random })) };
  const client = connectTalos({ address, dial: world.dialFor(cluster), clock, calls, identity });
  const snapshot = await readBody(client.etcdSnapshot(), Infinity);
  client.close();
  const kept = await files.list(cluster);
  const parts = await Promise.all(
    kept.map(async ({ name }) => partOf(`secrets/${name}`, (await files.read(cluster, name)) ?? "")),
  );
  const { keys, recipients } = await someKeys();
  const archive = await packAll(
    recipients,
    [...parts, partOf("etcd/snapshot.db", snapshot), partOf("file/cluster.yaml", "name: lab\n")],
    { ...someFacts, files: [], cluster, madeAt: new Date(wall.now()).toISOString() },
  );
  return openBackup(bytesSource(archive), keys);
}
