import type { Position } from "../../errors/index.ts";
import type { ClusterDraft } from "../complete/draft.ts";
import type { Addon } from "./model.ts";
import type { WrittenOptions } from "./written.ts";

/** An add-on as it was written, as it was completed, and the way to its place. */
export interface AddonDraft<Written = WrittenOptions, Options = unknown> {
  written: Written;
  addon: Addon<Options>;
  /** Of a field of it, or of the add-on itself. */
  place(...field: (string | number)[]): Position;
  /** The field is there, whatever is wrong with its value. */
  isWritten(field: string): boolean;
}

/** Those that the file names; what comes along with them follows behind in the completed cluster. */
export const addonDrafts = ({ written, cluster, document, path }: ClusterDraft): AddonDraft[] =>
  written.addons.flatMap(({ name, options }, i): AddonDraft[] => {
    const addon = cluster.addons[i];
    const place: AddonDraft["place"] = (...field) =>
      document.locate([...path, "addons", i, ...(field.length === 0 ? [] : [name, ...field])]);
    const isWritten = (field: string): boolean =>
      document.mapKeys([...path, "addons", i, name]).includes(field);
    return addon ? [{ written: options, addon, place, isWritten }] : [];
  });
