import { defineResource, same } from "../../../plan/index.ts";
import type { TalosAccess } from "./talos-access.ts";

/** The secrets are a reference everywhere else; only their file holds them. */
export interface SecretsWant {
  cluster: string;
  contract: string;
}

/** The cluster's secrets: made once, found again, never made anew. */
export const talosSecrets = (access: TalosAccess) =>
  defineResource<SecretsWant, { isThere: true }>({
    kind: "talos/secrets",

    read: async (_ctx, want) => ((await access.findBundle(want.cluster)) ? { isThere: true } : undefined),

    compare: () => same,

    async create(_ctx, want) {
      await access.world.secrets.ensure(want.cluster, want.contract);
      return { isThere: true };
    },

    update: async (_ctx, _want, have) => have,

    // Secrets outlive the cluster: with them it can be rebuilt and its backups read.
    remove: async () => {},
  });
