import { addonDrafts, type AddonKind, writtenClasses } from "../../addons/index.ts";
import type { ClusterDraft, FleetDraft } from "../../complete/draft.ts";
import type { Problem } from "../../source/problem.ts";
import { elsewhere } from "../elsewhere.ts";

interface ClassDraft {
  name: string;
  isDefault: boolean;
  position: Problem["position"];
  defaultPosition: Problem["position"];
}

/** Storage classes: each name once, and one default at most. */
export const checkAddonStorage = ({ clusters }: FleetDraft, kinds: readonly AddonKind[]): Problem[] =>
  clusters.flatMap((draft) => {
    const classes = classDrafts(draft, kinds);
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

const classDrafts = (draft: ClusterDraft, kinds: readonly AddonKind[]): ClassDraft[] =>
  addonDrafts(draft).flatMap(({ written, addon, place }) =>
    writtenClasses(kinds, { name: addon.name, options: written }).map((each) => ({
      name: each.name,
      isDefault: each.isDefault === true,
      position: place(...each.path),
      defaultPosition: place(...each.defaultPath),
    })),
  );

/** Those that are like one before them, with that one. */
function repeats<T>(items: T[], keyOf: (item: T) => string): [T, T][] {
  const first = new Map<string, T>();
  return items.flatMap((item): [T, T][] => {
    const before = first.get(keyOf(item));
    if (before === undefined) first.set(keyOf(item), item);
    return before === undefined ? [] : [[item, before]];
  });
}
