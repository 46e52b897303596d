import { defineError } from "../../../../errors/index.ts";

export const oldMemberAnswers = defineError(
  "TALOS_OLD_MEMBER",
  (f: { cluster: string; node: string; why: string }) => ({
    what: `Cannot restore the etcd of "${f.cluster}"`,
    why: `${f.node} answers with a database of its own: ${f.why}; a second one beside it would be another cluster under the same name`,
    next: `See what it holds: slipway doctor ${f.cluster}; then run the restore again, which plans from what it finds`,
  }),
);

export const snapshotRefused = defineError(
  "TALOS_SNAPSHOT_REFUSED",
  (f: { cluster: string; node: string; why: string }) => ({
    what: `Cannot restore the etcd of "${f.cluster}"`,
    why: `${f.node} does not take the snapshot: ${f.why}`,
    next: `Look into the backup: slipway backup check FILE; or restore an older one`,
  }),
);

export const nodeInContainer = defineError(
  "RESTORE_NODE_IN_CONTAINER",
  (f: { cluster: string; node: string }) => ({
    what: `Cannot wipe the old etcd of "${f.node}"`,
    why: "it runs in a container, which has no partitions: Talos refuses to wipe one by its name",
    next: `Empty the volume of its container and start it again, so that it waits in maintenance mode; then run the restore of "${f.cluster}" again`,
  }),
);
