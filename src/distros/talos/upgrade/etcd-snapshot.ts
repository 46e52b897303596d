import { createHash } from "node:crypto";
import type { StepContext } from "../../../plan/index.ts";
import type { TalosAccess } from "../talos-access.ts";
import { snapshotBroken } from "./errors.ts";

const pageBytes = 512;
const hashBytes = 32;

/** etcd's database as it is now, proven whole, beside the cluster's secrets. Gives back the file. */
export async function keepEtcdSnapshot(
  access: TalosAccess,
  ctx: StepContext,
  from: { cluster: string; node: string; address: string },
  name: string,
): Promise<string> {
  const snapshot = await access.using(from.cluster, from.address, async (node) => {
    const parts: Uint8Array[] = [];
    for await (const part of node.etcdSnapshot({ signal: ctx.signal })) parts.push(part);
    return Buffer.concat(parts);
  });
  const why = snapshotTrouble(snapshot);
  if (why !== undefined) throw snapshotBroken({ ...from, why });
  return access.world.secretFiles.keepBytes(from.cluster, name, snapshot);
}

/** A stream that was cut looks like one that has ended; only the SHA-256 behind the database tells. */
export function snapshotTrouble(snapshot: Buffer): string | undefined {
  if (snapshot.length <= hashBytes || snapshot.length % pageBytes !== hashBytes) return "cut short";
  const database = snapshot.subarray(0, -hashBytes);
  const hash = createHash("sha256").update(database).digest();
  return hash.equals(snapshot.subarray(-hashBytes)) ? undefined : "damaged on its way";
}
