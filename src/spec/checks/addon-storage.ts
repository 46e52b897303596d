import type { ClusterDraft, FleetDraft } from "../draft.ts";
import type { Problem } from "../problem.ts";
import { addonDrafts } from "./addon-place.ts";
import { elsewhere } from "./elsewhere.ts";

interface ClassDraft {
  name: string;
  isDefault: boolean;
  position: Problem["position"];
  defaultPosition: Problem["position"];
}

/** Storage classes: each name once, and one default at most. */
export const checkAddonStorage = ({ clusters }: FleetDraft): Problem[] =>
  clusters.flatMap((draft) => {
    const classes = classDrafts(draft);
    return [
      ...repeats(classes, ({ name }) => name).map(([one, before]) => ({
        code: "SPEC_NAME_TWICE",
        what: `Another storage class is called "${one.name}" as well ${elsewhere(before.position, one.position)}`,
        next: "Give one of the two another name",
        position: one.position,
      })),
      ...repeats(
        classes.filter(({ isDefault }) => isDefault),
        () => "default",
      ).map(([one, before]) => ({
        code: "SPEC_CHOOSE_ONE",
        what: `Storage class "${before.name}" is the default already ${elsewhere(before.defaultPosition, one.defaultPosition)}`,
        next: "Leave default: true with one of the two",
        position: one.defaultPosition,
      })),
    ];
  });

function classDrafts(draft: ClusterDraft): ClassDraft[] {
  return addonDrafts(draft).flatMap(({ written, place }): ClassDraft[] => {
    switch (written.name) {
      case "nfs-csi": {
        const { name, default: said } = written.options.storageClass;
        const [position, defaultPosition] = [place("storageClass", "name"), place("storageClass", "default")];
        return [{ name, isDefault: said === true, position, defaultPosition }];
      }
      case "proxmox-csi":
        return written.options.storageClasses.map((each, i) => ({
          name: each.name,
          isDefault: each.default === true,
          position: place("storageClasses", i, "name"),
          defaultPosition: place("storageClasses", i, "default"),
        }));
      case "longhorn": {
        const [position, defaultPosition] = [place(), place("default")];
        return [{ name: "longhorn", isDefault: written.options.default === true, position, defaultPosition }];
      }
      default:
        return [];
    }
  });
}

/** Those that are like one before them, with that one. */
function repeats<T>(items: T[], keyOf: (item: T) => string): [T, T][] {
  const first = new Map<string, T>();
  return items.flatMap((item): [T, T][] => {
    const before = first.get(keyOf(item));
    if (before === undefined) first.set(keyOf(item), item);
    return before === undefined ? [] : [[item, before]];
  });
}
