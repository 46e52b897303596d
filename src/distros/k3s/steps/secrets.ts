import { defineResource, same, type Seen, type StepContext } from "../../../plan/index.ts";
import { hostKeysMissed, isStarting, type Guest } from "../../linux-hosts/index.ts";
import { k3sPaths } from "../paths.ts";
import { secretsLost } from "../errors.ts";
import type { K3sAccess } from "../k3s-access.ts";

/** The secrets are a reference everywhere else; only their file holds them. */
export interface SecretsWant {
  cluster: string;
  /** Servers that have a machine already. */
  existing?: Guest[] | undefined;
}

/** The cluster's secrets: made once, before there is any machine, found again, never replaced over a cluster that runs. */
export const k3sSecrets = (access: K3sAccess) =>
  defineResource<SecretsWant, true>({
    kind: "k3s/secrets",
    face: () => ({ uncounted: "secrets", section: "secrets" }),

    read: async (_ctx, { cluster }) => ((await access.findBundle(cluster)) ? true : undefined),
    compare: () => same,

    async create(ctx, want) {
      for (const guest of want.existing ?? []) await demandNoDatabase(access, ctx, guest);
      await access.world.secrets.ensure(want.cluster);
      return true;
    },

    update: async () => true,

    // Secrets outlive the cluster: with them it can be rebuilt and its snapshots read.
    remove: async () => {},
  });

/** A server that was there before may run with secrets that are lost here: nothing is replaced over it. */
async function demandNoDatabase(access: K3sAccess, ctx: StepContext, guest: Guest): Promise<void> {
  const isMet = guest.firstContact !== "console" || (await access.hosts.isMet(guest));
  // A machine that was never logged in on has no K3s; its keys are read on its console in a moment.
  if (!isMet && (await access.hosts.newGuests.has(guest))) return;
  if (!isMet) throw hostKeysMissed({ ...guest, file: access.hosts.knownHostsFile(guest.cluster) });
  const hasDatabase = await ctx.waitFor(
    {
      what: `${guest.node}, which was there before, to say whether it holds a cluster already`,
      probe: "ssh",
      deadlineMs: 300_000,
      usualMs: 18_000,
      everyMs: 1_000,
    },
    async (signal): Promise<Seen<boolean>> => {
      try {
        const value = await access.using(guest, (to) => to.exists(k3sPaths.databaseFolder, signal));
        return { done: true, value };
      } catch (thrown) {
        if (isStarting(thrown)) return { done: false, seen: thrown.why };
        throw thrown;
      }
    },
  );
  if (hasDatabase)
    throw secretsLost({
      cluster: guest.cluster,
      folder: access.folderOf(guest.cluster),
      areNodesFound: true,
    });
}
