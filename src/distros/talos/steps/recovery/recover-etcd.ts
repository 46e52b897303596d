import type { TalosClient } from "../../../../clients/talos/index.ts";
import type { Recovery, Seen, StepContext } from "../../../../plan/index.ts";
import type { TalosAccess } from "../../talos-access.ts";
import { askEtcdStatus } from "../etcd-status.ts";
import { oldMemberAnswers } from "./errors.ts";

/** Lets etcd begin on a node, once it can. Gives the boot of the node that took the call. */
export type FoundEtcd = (node: TalosClient, signal: AbortSignal) => Promise<Seen<string>>;

/**
 * How etcd begins from a backup: the snapshot goes to the node, then Bootstrap uses it. The node forgets a snapshot when it
 * restarts, so both are one call. It is made only while etcd waits without data.
 */
export const recoverEtcd =
  (
    access: TalosAccess,
    ctx: StepContext,
    at: { cluster: string; node: string },
    { bytes }: Recovery,
  ): FoundEtcd =>
  async (node, signal): Promise<Seen<string>> => {
    const source = access.world.recoverySource(at.cluster);
    const etcd = await askEtcdStatus(node, { signal });
    if (etcd?.state === "Running") {
      // Called before, by a run that was cut.
      if (await source.hasBegun()) return { done: true, value: await node.bootId({ signal }) };
      throw oldMemberAnswers({ ...at, why: etcd.words });
    }
    if (etcd?.state !== "Preparing") return { done: false, seen: etcd?.words ?? "etcd has not started" };
    const boot = await node.bootId({ signal });
    await upload(node, source.read(signal), (sent) => ctx.progress(sent, bytes, "bytes"), signal);
    await source.begin();
    await node.bootstrap({ recoversEtcd: true, signal });
    return { done: true, value: boot };
  };

/** What is wrong with the backup itself says more than the call that it cut. */
async function upload(
  node: TalosClient,
  snapshot: AsyncIterable<Uint8Array>,
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  let trouble: unknown;
  async function* counted(): AsyncGenerator<Uint8Array> {
    let sent = 0;
    try {
      for await (const part of snapshot) {
        yield part;
        onProgress((sent += part.length));
      }
    } catch (thrown) {
      trouble = thrown;
      throw thrown;
    }
  }
  await node.recoverEtcd(counted(), { signal }).catch((thrown: unknown) => {
    throw trouble ?? thrown;
  });
}
