import stringWidth from "string-width";
import { printable } from "./printable.ts";

export interface Excerpt {
  /** The line of the file, cut to fit. */
  line: string;
  /** Spaces and carets below it. */
  carets: string;
}

/** More of a line than any screen shows is not looked at. */
const mostLooked = 400;

/** One line of a file around a mistake, cut where it is too long. Control characters never reach the terminal. */
export function excerptLine(
  text: string,
  column: number,
  length: number,
  width: number,
  ellipsis: string,
): Excerpt {
  const first = Math.max(0, column - 1 - mostLooked);
  const characters = Array.from(text.slice(first, column - 1 + mostLooked), printable);
  const start = Array.from(text.slice(first, column - 1)).length;
  const end = Math.min(
    characters.length,
    start + Array.from(text.slice(column - 1, column - 1 + length)).length,
  );
  // Columns from the beginning to each character: a character may take two of them.
  const columns = [0];
  for (const character of characters) columns.push((columns.at(-1) ?? 0) + stringWidth(character));
  const span = (from: number, to: number): number => (columns[to] ?? 0) - (columns[from] ?? 0);

  const dots = ellipsis.length;
  const isCutBefore = first > 0;
  const all = characters.length;
  let from = 0;
  let to = all;
  if (span(0, all) > width || isCutBefore) {
    // A mistake that does not fit stands a third of the way into the line, with as much behind it as there is room for.
    if (span(0, end) + dots > width || isCutBefore) {
      while (from < start && span(from, start) > Math.floor(width / 3)) from++;
      while (from > 0 && span(from - 1, all) + dots <= width) from--;
    }
    const room = width - (from > 0 || isCutBefore ? dots : 0);
    if (span(from, all) > room) while (to > from && span(from, to) > room - dots) to--;
  }
  const before = from > 0 || isCutBefore ? ellipsis : "";
  const after = to < all ? ellipsis : "";
  const caretStart = Math.min(start, to);
  const caretCount = Math.max(1, span(caretStart, Math.min(Math.max(end, start + 1), to)));
  return {
    line: before + characters.slice(from, to).join("") + after,
    carets: " ".repeat(before.length + span(from, caretStart)) + "^".repeat(caretCount),
  };
}
