import type { FoundArchive, Recovery } from "../../plan/index.ts";

/** Nodes that are made again under their name, as `cluster/node`. */
export type Replaced = ReadonlySet<string>;

/** Hosts that somebody says are lost for good, by their name in the file. */
export type LostHosts = ReadonlySet<string>;

/** Backups that machines are made again from, by `cluster/node`. */
export type Archives = ReadonlyMap<string, FoundArchive>;

/** A cluster that is restored. */
export interface Restores {
  cluster: string;
  /** Absent where its database is back already. */
  recovery: Recovery | undefined;
  /** The cluster it is a copy of, which may run beside it. */
  copyOf?: string | undefined;
}

/** Which nodes are made again, and which hosts are said not to come back. */
export interface MadeAgain {
  replaced: Replaced;
  lost: LostHosts;
  /** The one whose database comes from a backup, unless it is back already. */
  restores?: Restores | undefined;
  archives?: Archives;
}
