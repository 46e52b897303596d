import { defineError } from "../../../errors/index.ts";
import type { RemovalBlocker } from "../../../plan/index.ts";

export const noSnapshots = defineError("RUN_NO_SNAPSHOTS", (blockers: RemovalBlocker[]) => ({
  what: `Cannot take snapshots of ${blockers.map(({ machine }) => machine.node).join(", ")}`,
  why: blockers.map(({ why }) => why).join("; "),
  next: "Move their disks in Proxmox to a storage that can (LVM-thin, ZFS, Ceph), or do without snapshots",
}));

export const snapshotMissing = defineError(
  "RUN_NOT_A_SNAPSHOT",
  (name: string, known: string[]) => ({
    what: `Cannot find snapshot "${name}"`,
    why: known.length === 0 ? "these machines have none" : `there are ${known.join(", ")}`,
    next: "See them with: slipway snapshot list",
  }),
  ["<name>", []],
);

export const snapshotForeign = defineError("RUN_NOT_OUR_SNAPSHOT", (name: string) => ({
  what: `Cannot use snapshot "${name}"`,
  why: "Slipway did not take it, and touches only its own",
  next: "Use it in the Proxmox web page",
}));

export const partOfEtcd = defineError(
  "RUN_NOT_ALL_OF_ETCD",
  (f: { cluster: string; going: string[]; staying: string[]; name: string }) => ({
    what: `Cannot roll back ${f.going.join(", ")} alone`,
    why: `${f.staying.join(", ")} would keep data that ${f.going.join(", ")} no longer has; etcd must go back on all control planes together or on none`,
    next: `Roll back the whole cluster: slipway snapshot rollback ${f.cluster} ${f.name}`,
    else: "Add --force if you will repair etcd by hand",
  }),
);
