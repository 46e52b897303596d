import type { Position } from "../../errors/index.ts";
import type { WrittenCluster } from "../schema/cluster.ts";
import type { Cidr } from "../values/ipv4.ts";
import type { LocatedDocument } from "../source/located-document.ts";
import type { Cluster, Host, Node, Role } from "../model/cluster.ts";
import type { WrittenPool } from "../schema/pool.ts";
import type { Path } from "../source/positions.ts";

/** A host as the model holds it, and where it was written. */
export interface HostDraft {
  host: Host;
  document: LocatedDocument;
  path: Path;
}

/** A cluster as the model holds it, with the way back to what was written, for checks that point at it. */
export interface ClusterDraft {
  cluster: Cluster;
  written: WrittenCluster;
  document: LocatedDocument;
  path: Path;
  cidr: Cidr;
  pools: PoolDraft[];
}

export interface PoolDraft {
  name: string;
  role: Role;
  written: WrittenPool;
  path: Path;
  nodes: Node[];
  /** Where its own fields stand, as far as anybody has asked. */
  places: Map<string, Position>;
}

/** All that was understood of the files. */
export interface FleetDraft {
  hosts: HostDraft[];
  clusters: ClusterDraft[];
  /** Also of hosts that are written wrongly: they exist all the same. */
  hostNames: ReadonlySet<string>;
  /** False when a file could not be read: what it defines cannot be called unknown. */
  isWhole: boolean;
  documents: LocatedDocument[];
}
