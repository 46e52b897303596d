import type { Recovery } from "../../plan/index.ts";

/** Nodes that are made again under their name, as `cluster/node`. */
export type Replaced = ReadonlySet<string>;

/** Hosts that somebody says are lost for good, by their name in the file. */
export type LostHosts = ReadonlySet<string>;

/** Which nodes are made again, and which hosts are said not to come back. */
export interface MadeAgain {
  replaced: Replaced;
  lost: LostHosts;
  /** The one whose database comes from a backup, unless it is back already. */
  restores?: { cluster: string; recovery: Recovery | undefined } | undefined;
}
