import type { Position } from "../../errors/index.ts";

/**
 * How to point from one place to another: `(line 19)`, or `(edge.yaml:19)` when it is in another file. Where there are no
 * lines, the path of the value.
 */
export function elsewhere(place: Position, seenFrom: Position): string {
  const { file, line, path } = place;
  if (line === undefined) return file === seenFrom.file ? `(${path})` : `(${file}: ${path})`;
  return file === seenFrom.file ? `(line ${line})` : `(${file}:${line})`;
}
