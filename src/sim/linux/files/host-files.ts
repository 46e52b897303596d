import { FileError } from "./file-error.ts";
import { parentOf } from "./file-entry.ts";
import { root, type FileTree } from "./file-tree.ts";
import type { HostFiles } from "../program.ts";

/** The files of a host for the programs that run on it as root. */
export const hostFiles = (tree: FileTree): HostFiles => ({
  read(path) {
    return orNothing(() => tree.read(path, root));
  },
  write(path, content, mode) {
    makeParents(tree, parentOf(path));
    tree.write(path, Buffer.from(content), root, mode);
  },
  remove(place) {
    const path = bare(place);
    for (const each of [path, ...tree.pathsBelow(path)].toReversed()) {
      orNothing(() => tree.remove(each, root));
    }
  },
  below: (folder) =>
    tree.pathsBelow(bare(folder)).filter((path) => tree.find(path, root, false)?.kind === "file"),
});

const bare = (path: string): string => path.replace(/(?<=.)\/+$/, "");

function makeParents(tree: FileTree, folder: string): void {
  if (tree.find(folder)) return;
  makeParents(tree, parentOf(folder));
  tree.makeFolder(folder, root);
}

/** What is not there is nothing to read or to remove. */
function orNothing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof FileError) return undefined;
    throw thrown;
  }
}
