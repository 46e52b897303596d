import { defineResource, same, type Seen, type StepContext } from "../../../plan/index.ts";
import { secretsLost } from "../errors.ts";
import type { TalosAccess } from "../talos-access.ts";

/** The secrets are a reference everywhere else; only their file holds them. */
export interface SecretsWant {
  cluster: string;
  contract: string;
  /** Control planes that have a machine already. */
  existing?: { name: string; address: string }[] | undefined;
}

interface SecretsHave {
  /** Their file is gone, and the running cluster has told them. */
  isOnlyInCluster: boolean;
}

/** The cluster's secrets: made once, found again, never replaced. */
export const talosSecrets = (access: TalosAccess) =>
  defineResource<SecretsWant, SecretsHave>({
    kind: "talos/secrets",
    face: () => ({ uncounted: "secrets", section: "secrets" }),

    async read(_ctx, { cluster }) {
      if (await access.world.secrets.find(cluster)) return { isOnlyInCluster: false };
      return (await access.recoveredBundle(cluster)) ? { isOnlyInCluster: true } : undefined;
    },

    compare: (_want, { isOnlyInCluster }) =>
      isOnlyInCluster
        ? {
            same: false,
            action: "update",
            consequence: "hot",
            fields: [{ field: "their file", from: "lost", to: "read back from the cluster" }],
          }
        : same,

    async create(ctx, want) {
      await demandUnconfigured(access, ctx, want);
      await access.world.secrets.ensure(want.cluster, want.contract);
      return { isOnlyInCluster: false };
    },

    async update(_ctx, { cluster }) {
      const bundle = await access.recoveredBundle(cluster);
      if (bundle) await access.world.secrets.adopt(cluster, bundle);
      return { isOnlyInCluster: false };
    },

    // Secrets outlive the cluster: with them it can be rebuilt and its backups read.
    remove: async () => {},
  });

/**
 * A control plane that was switched off while the plan was made may run with secrets that are lost here. It is asked once
 * it is up, and nothing is replaced over it.
 */
async function demandUnconfigured(
  access: TalosAccess,
  ctx: StepContext,
  { cluster, existing = [] }: SecretsWant,
): Promise<void> {
  if (existing.length === 0 || (await access.world.secrets.find(cluster))) return;
  for (const { name, address } of existing) {
    const state = await ctx.waitFor(
      {
        what: `${name}, which was there before, to say whether it has secrets already`,
        probe: "tls",
        deadlineMs: 300_000,
        usualMs: 18_000,
        everyMs: 1_000,
      },
      async (signal): Promise<Seen<string>> => {
        const probe = await access.probe(cluster, address, signal);
        return probe.state === "unreachable"
          ? { done: false, seen: probe.reason }
          : { done: true, value: probe.state };
      },
    );
    if (state !== "maintenance")
      throw secretsLost({ cluster, folder: access.folderOf(cluster), areNodesFound: true });
  }
}
