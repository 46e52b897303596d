import type { Position } from "../errors/index.ts";
import type { WrittenCluster } from "./cluster-schema.ts";
import type { Cidr } from "./ipv4.ts";
import type { LocatedDocument } from "./located-document.ts";
import type { Cluster, Host, Node, Role } from "./model.ts";
import type { WrittenPool } from "./pool-schema.ts";
import type { Path } from "./text-places.ts";

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

/** The place that decides a field of a node: its own, else the pool's, else the pool itself. */
export function nodePlace(
  draft: ClusterDraft,
  pool: PoolDraft,
  node: Node,
  name: keyof WrittenPool,
): Position {
  const own = pool.written.nodes[node.name];
  const ownPath = [...pool.path, "nodes", node.name];
  if (own !== undefined && Object.hasOwn(own, name)) return draft.document.locate([...ownPath, name]);
  // Most nodes of a large pool are decided by the pool, at one and the same place.
  const known = pool.places.get(name);
  if (known) return known;
  const isSaid = Object.hasOwn(pool.written, name);
  const place = isSaid ? draft.document.locate([...pool.path, name]) : draft.document.locateKey(pool.path);
  pool.places.set(name, place);
  return place;
}
