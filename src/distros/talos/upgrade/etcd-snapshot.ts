import { provenSnapshot } from "../../../backups/index.ts";
import { readBody } from "../../../lib/index.ts";
import type { StepContext } from "../../../plan/index.ts";
import type { TalosAccess } from "../talos-access.ts";
import { snapshotBroken } from "./errors.ts";

/** A control plane that a snapshot is taken from. */
interface SnapshotSource {
  cluster: string;
  node: string;
  address: string;
}

/** etcd's database as it is now. A stream that was cut looks like one that has ended, so its end is proven. */
export async function* readEtcdSnapshot(
  access: TalosAccess,
  from: SnapshotSource,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const node = await access.open(from.cluster, from.address);
  try {
    yield* provenSnapshot(node.etcdSnapshot({ signal }), (why) => snapshotBroken({ ...from, why }));
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
  const snapshot = await readBody(readEtcdSnapshot(access, from, ctx.signal), Infinity);
  return access.world.secretFiles.keepBytes(from.cluster, name, snapshot);
}
