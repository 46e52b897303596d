import { defineError } from "../../../../errors/index.ts";

export const oldServerAnswers = defineError(
  "K3S_OLD_MEMBER",
  (f: { cluster: string; node: string; server: string }) => ({
    what: `Cannot restore the database of "${f.cluster}" on ${f.node}`,
    why: `a server of the cluster answers at ${f.server}; a second database beside it would be another cluster under the same name`,
    next: `See what it holds: slipway doctor ${f.cluster}; then run the restore again, which plans from what it finds`,
  }),
);

export const resetFailed = defineError(
  "K3S_RESET_FAILED",
  (f: { cluster: string; node: string; said: string }) => ({
    what: `Cannot restore the database of "${f.cluster}" on ${f.node}`,
    why: `K3s does not take the snapshot: ${f.said}`,
    next: `Look into the backup: slipway backup check FILE; or restore an older one`,
  }),
);
