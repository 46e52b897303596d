import { within, type Caller, type TalosCallOptions } from "../wire/caller.ts";
import { MachineService } from "../gen/machine_pb.ts";
import { onlyMessage } from "../wire/only-message.ts";

/** A node takes any size up to 32 MiB; small parts keep memory flat on both sides. */
const partBytes = 32 * 1024;
const recoverTimeoutMs = 30 * 60_000;

/**
 * etcd's database as it is at this moment, with its checksum as the last 32 bytes. No more is fetched than is read, so
 * a slow writer slows the node down instead of filling memory.
 */
export async function* etcdSnapshot(
  caller: Caller,
  options: TalosCallOptions = {},
): AsyncGenerator<Uint8Array> {
  const parts = caller.stream(MachineService, "EtcdSnapshot", options, (client, o) =>
    client.etcdSnapshot({}, o),
  );
  for await (const { bytes } of parts) yield bytes;
}

/** Sends a snapshot to a node whose etcd is empty. `bootstrap({ recoversEtcd: true })` on the same node then uses it. */
export async function recoverEtcd(
  caller: Caller,
  snapshot: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: TalosCallOptions = {},
): Promise<void> {
  const inspection = within(options, recoverTimeoutMs);
  await caller.call(MachineService, "EtcdRecover", inspection, async (client, o) =>
    onlyMessage(await client.etcdRecover(inParts(snapshot), o)),
  );
}

async function* inParts(snapshot: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  for await (const piece of snapshot) {
    for (let at = 0; at < piece.length; at += partBytes) {
      yield { bytes: piece.subarray(at, at + partBytes) };
    }
  }
}
