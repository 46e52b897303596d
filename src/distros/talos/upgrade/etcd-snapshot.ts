import { provenSnapshot } from "../../../backups/index.ts";
import { readBody } from "../../../lib/index.ts";
import type { ClusterDatabase, StepContext } from "../../../plan/index.ts";
import type { TalosAccess } from "../talos-access.ts";
import { snapshotBroken } from "./errors.ts";

/** A control plane that a snapshot is taken from. */
interface SnapshotSource {
  cluster: string;
  node: string;
  address: string;
}

/** etcd's database as it is now. */
export const etcdDatabase = (
  access: TalosAccess,
  from: SnapshotSource,
  signal: AbortSignal,
): ClusterDatabase => ({
  read: (onSize) => readEtcdSnapshot(access, from, onSize, signal),
  broken: (why) => snapshotBroken({ ...from, why }),
});

async function* readEtcdSnapshot(
  access: TalosAccess,
  from: SnapshotSource,
  onSize: (sizeBytes: number) => void,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const node = await access.open(from.cluster, from.address);
  try {
    const status = await node.etcdStatus({ signal }).catch(() => undefined);
    if (status) onSize(Number(status.dbSizeBytes));
    yield* node.etcdSnapshot({ signal });
  } finally {
    node.close();
  }
}

/** The same beside the cluster's secrets. Gives back the file. */
export async function keepEtcdSnapshot(
  access: TalosAccess,
  ctx: StepContext,
  from: SnapshotSource,
  name: string,
): Promise<string> {
  const { read, broken } = etcdDatabase(access, from, ctx.signal);
  const snapshot = await readBody(
    provenSnapshot(
      read(() => undefined),
      broken,
    ),
    Infinity,
  );
  return access.world.secretFiles.keepBytes(from.cluster, name, snapshot);
}
