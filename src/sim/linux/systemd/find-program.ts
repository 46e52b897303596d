import type { FileTree } from "../files/file-tree.ts";
import { contentOf, nameOf } from "../files/file-entry.ts";
import { root } from "../files/file-tree.ts";
import type { Program } from "../program.ts";

/** A program, or the words of the kernel that refused to start it. */
export type FoundProgram = { program: Program } | { refusal: string; isMissing: boolean };

/** The program behind a path: a file that may be run, of a name that the simulator knows. */
export function findProgram(files: FileTree, programs: Record<string, Program>, path: string): FoundProgram {
  const entry = files.find(path, root);
  if (!entry) return { refusal: "No such file or directory", isMissing: true };
  if (entry.kind !== "file" || (entry.mode & 0o111) === 0)
    return { refusal: "Permission denied", isMissing: false };
  const program = programs[nameOf(path)];
  // A file that is cut short is no program, whatever its name.
  if (!program || contentOf(entry).length === 0) return { refusal: "Exec format error", isMissing: false };
  return { program };
}
