import type { DatacenterStorage } from "../../datacenter-file.ts";
import type { Cluster } from "../cluster.ts";
import type { Volume } from "../state.ts";
import { findStorage, isFileStorage } from "./volumes.ts";

/** What can be done with a disk: keep older states, be stood on, become a base, be copied, change its owner. */
export type Feature = "snapshot" | "clone" | "template" | "copy" | "rename";

/** In which state a disk is looked at: as it is, as the base of a template, or as a snapshot keeps it. */
type State = "current" | "base" | "snap";

type Abilities = Partial<Record<Feature, readonly State[]>>;

const blockAbilities: Partial<Record<DatacenterStorage["type"], Abilities>> = {
  lvm: { copy: ["current", "base"], rename: ["current"] },
  lvmthin: {
    snapshot: ["current"],
    clone: ["base", "snap"],
    template: ["current"],
    copy: ["current", "base", "snap"],
    rename: ["current"],
  },
  zfspool: {
    snapshot: ["current", "snap"],
    clone: ["base"],
    template: ["current"],
    copy: ["current", "base"],
    rename: ["current"],
  },
  rbd: {
    snapshot: ["current", "snap"],
    clone: ["base", "snap"],
    template: ["current"],
    copy: ["current", "base", "snap"],
    rename: ["current"],
  },
};

/** Only a qcow2 file keeps older states of itself; whatever the base, a clone that stands on it is qcow2. */
const fileAbilities = (format: string): Abilities => ({
  clone: ["base"],
  template: ["current"],
  rename: ["current"],
  copy: ["current", "base", ...(format === "qcow2" ? (["snap"] as const) : [])],
  ...(format === "qcow2" && { snapshot: ["current", "snap"] }),
});

/** Whether a volume's storage and format allow something. */
export function canDo(cluster: Cluster, volume: Volume, feature: Feature, isSnapshot = false): boolean {
  const storage = findStorage(cluster, volume.storage);
  const abilities = isFileStorage(storage) ? fileAbilities(volume.format) : blockAbilities[storage.type];
  const isBase = /(?:^|\/)base-\d+-[^/]+$/.test(volume.name);
  const state = isSnapshot ? "snap" : isBase ? "base" : "current";
  return abilities?.[feature]?.includes(state) === true;
}
