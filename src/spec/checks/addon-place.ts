import type { Position } from "../../errors/index.ts";
import type { AddonName } from "../addons/model.ts";
import type { WrittenAddon } from "../addons/index.ts";
import type { ClusterDraft } from "../draft.ts";

/** An add-on as it was written, with the way to its place. */
export interface AddonDraft<Name extends AddonName = AddonName> {
  written: Extract<WrittenAddon, { name: Name }>;
  /** Of a field of it, or of the add-on itself. */
  place(...field: (string | number)[]): Position;
}

export const addonDrafts = ({ written, document, path }: ClusterDraft): AddonDraft[] =>
  written.addons.map((addon, i) => ({
    written: addon,
    place: (...field) =>
      field.length === 0
        ? document.locate([...path, "addons", i])
        : document.locate([...path, "addons", i, addon.name, ...field]),
  }));

export function addonDraft<Name extends AddonName>(
  draft: ClusterDraft,
  name: Name,
): AddonDraft<Name> | undefined {
  const found = addonDrafts(draft).find(({ written }) => written.name === name);
  return found as AddonDraft<Name> | undefined;
}
