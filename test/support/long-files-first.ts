import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** By how long a file of theirs takes: whole clusters first, pure functions last. */
const folders = ["test/rehearsal/", "test/cli/", "test/"];

/**
 * Starts what takes longest first, so that no worker ends alone with it. Vitest does so by itself where it remembers an
 * earlier run; a fresh clone has none, and the size of a file says little.
 */
export default class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const path = relative(this.ctx.config.root, moduleId).replaceAll("\\", "/");
      const rank = folders.findIndex((folder) => path.startsWith(folder));
      return rank === -1 ? folders.length : rank;
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- this one is no array's
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
