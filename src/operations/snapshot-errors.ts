import { SlipwayError } from "../errors/index.ts";
import type { Hindrance } from "../plan/index.ts";

export const noSnapshots = (hindrances: Hindrance[]) =>
  new SlipwayError({
    code: "RUN_NO_SNAPSHOTS",
    what: `Cannot take snapshots of ${hindrances.map(({ machine }) => machine.node).join(", ")}`,
    why: hindrances.map(({ why }) => why).join("; "),
    next: "Move their disks in Proxmox to a storage that can (LVM-thin, ZFS, Ceph), or do without snapshots",
  });

export const snapshotMissing = (name: string, known: string[]) =>
  new SlipwayError({
    code: "RUN_NOT_A_SNAPSHOT",
    what: `Cannot find snapshot "${name}"`,
    why: known.length === 0 ? "these machines have none" : `there are ${known.join(", ")}`,
    next: "See them with: slipway snapshot list",
  });

export const snapshotForeign = (name: string) =>
  new SlipwayError({
    code: "RUN_NOT_OUR_SNAPSHOT",
    what: `Cannot use snapshot "${name}"`,
    why: "Slipway did not take it, and touches only its own",
    next: "Use it in the Proxmox web page",
  });

export const partOfEtcd = (f: { cluster: string; going: string[]; staying: string[]; name: string }) =>
  new SlipwayError({
    code: "RUN_NOT_ALL_OF_ETCD",
    what: `Cannot roll back ${f.going.join(", ")} alone`,
    why: `${f.staying.join(", ")} would remember what ${f.going.join(", ")} forgot; etcd must go back on all control planes together or on none`,
    next: `Roll back the whole cluster: slipway snapshot rollback ${f.cluster} ${f.name}`,
    else: "Add --force if you will repair etcd by hand",
  });
