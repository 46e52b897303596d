import { SlipwayError } from "../../../../errors/index.ts";
import { defineResource, same, type Seen, type StepContext } from "../../../../plan/index.ts";
import { seeDoctor } from "../../../kubernetes/index.ts";
import type { TalosAccess } from "../../talos-access.ts";
import { containerPlatform } from "../../bare-machines.ts";
import { askEtcdStatus } from "../etcd-status.ts";
import { nodeInContainer } from "./errors.ts";

/** A control plane that holds a part of a database that is lost. */
export interface LostEtcdWant {
  cluster: string;
  node: string;
  address: string;
}

interface LostEtcdHave {
  /** It waits without data, as the restored cluster needs it. */
  isEmpty: boolean;
}

/**
 * The data of an etcd that cannot come back, wiped with the volume it lies on. The node keeps its system and its config, and
 * waits for the cluster as a new one does.
 */
export const talosLostEtcd = (access: TalosAccess) =>
  defineResource<LostEtcdWant, LostEtcdHave>({
    kind: "talos/lost-etcd",
    face: () => ({ noun: "etcd data" }),

    async read(ctx, want) {
      const found = await readNode(access, want, ctx.signal).catch(unlessSilent);
      if (found?.isInContainer && !found.isEmpty) throw nodeInContainer(want);
      return { isEmpty: found?.isEmpty ?? false };
    },

    compare: (_want, { isEmpty: isDone }) =>
      isDone
        ? same
        : {
            same: false,
            action: "update",
            consequence: "data",
            fields: [{ field: "etcd", from: "lost", to: "wiped" }],
            loses: "its part of etcd, and /var with images, logs and volumes that lie there",
          },

    create: (ctx, want) => wipe(access, ctx, want),
    update: (ctx, want) => wipe(access, ctx, want),
    remove: async () => {},
  });

const readNode = (access: TalosAccess, { cluster, address }: LostEtcdWant, signal: AbortSignal) =>
  access.using(cluster, address, async (node) => ({
    isEmpty: (await askEtcdStatus(node, { signal }))?.state === "Preparing",
    isInContainer: (await node.version({ signal })).platform === containerPlatform,
  }));

function unlessSilent(thrown: unknown): undefined {
  if (!(thrown instanceof SlipwayError)) throw thrown;
}

const isEmpty = async (access: TalosAccess, want: LostEtcdWant, signal: AbortSignal): Promise<boolean> =>
  (await readNode(access, want, signal)).isEmpty;

/** The answer to Reset says nothing; that it restarted and waits does. */
async function wipe(access: TalosAccess, ctx: StepContext, want: LostEtcdWant): Promise<LostEtcdHave> {
  const { cluster, node, address } = want;
  if (!(await isEmpty(access, want, ctx.signal)))
    await access.using(cluster, address, (client) =>
      client.reset({ isGraceful: false, reboots: true, partitions: ["EPHEMERAL"], signal: ctx.signal }),
    );
  await ctx.waitFor(
    {
      what: `${node} to be back without its old etcd`,
      probe: "grpc",
      deadlineMs: 10 * 60_000,
      usualMs: 60_000,
      next: seeDoctor(cluster),
    },
    async (signal): Promise<Seen<true>> => {
      try {
        if (await isEmpty(access, want, signal)) return { done: true, value: true };
        return { done: false, seen: "it still has data" };
      } catch (thrown) {
        signal.throwIfAborted();
        if (thrown instanceof SlipwayError) return { done: false, seen: thrown.why };
        throw thrown;
      }
    },
  );
  return { isEmpty: true };
}
