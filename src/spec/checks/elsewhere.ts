import type { Position } from "../../errors/index.ts";

/** How to point from one place to another: `(line 19)`, or `(edge.yaml:19)` when it is in another file. */
export const elsewhere = (place: Position, seenFrom: Position): string =>
  place.file === seenFrom.file ? `(line ${place.line})` : `(${place.file}:${place.line})`;
