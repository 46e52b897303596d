import { marks } from "./marks.ts";
import type { Mark } from "./model.ts";

/** Seen on white and on black, because other programs choose the background. */
const colours = { add: "#1f7fb5", good: "#2b9462", warn: "#b7791f", bad: "#d1453b", quiet: "#8493a0" };

/** How the outline of a marked thing looks where another program draws it. */
export const strokeOf = (mark: Mark): { colour: string; width: number; isDashed: boolean } => ({
  colour: colours[marks[mark].tone],
  width: marks[mark].tone === "quiet" ? 1 : 2,
  isDashed: marks[mark].isAbsent === true,
});
