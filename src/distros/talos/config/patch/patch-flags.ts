import type { ConfigPatch } from "./config-patch.ts";
import { patchFlagUnreadable } from "../errors.ts";
import { readPatch } from "./read-patch.ts";

/**
 * A patch as people give it on the command line: `@FILE`, a bare file name, or the patch itself.
 * Something with a blank, a line break or a bracket in front is no file name.
 */
export async function readPatchFlag(
  value: string,
  readFile: (path: string) => Promise<string>,
): Promise<ConfigPatch> {
  const file = value.startsWith("@") ? value.slice(1) : isFileName(value) ? value : undefined;
  if (file === undefined) return readPatch(value, "--config-patch");
  const text = await readFile(file).catch((error: unknown) => {
    throw patchFlagUnreadable({ file, cause: error });
  });
  return readPatch(text, file);
}

const isFileName = (value: string): boolean => value !== "" && !/^[[{]|[\s]/.test(value);
