import type { LocatedDocument } from "../source/located-document.ts";
import type { Patch } from "../model/cluster.ts";
import type { Path } from "../source/positions.ts";

/** A map with nothing but a `file` names a file; anything else is the patch itself. */
export function completePatches(
  written: readonly Record<string, unknown>[],
  document: LocatedDocument,
  path: Path,
): Patch[] {
  return written.map((patch, i) => {
    const at = document.locate([...path, i]);
    const isFile = typeof patch["file"] === "string" && Object.keys(patch).length === 1;
    return isFile ? { file: patch["file"] as string, at } : { inline: patch, at };
  });
}
