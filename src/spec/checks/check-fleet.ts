import type { ClusterDraft, HostDraft } from "./draft.ts";
import type { LocatedDocument } from "./located-document.ts";
import type { Problem } from "./problem.ts";

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

export interface Checked {
  problems: Problem[];
  warnings: Problem[];
}

/** What the schema cannot see: how the parts fit together. */
export function checkFleet(_fleet: FleetDraft): Checked {
  return { problems: [], warnings: [] };
}
