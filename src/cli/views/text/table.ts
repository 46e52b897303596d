import { padEnd, padStart, widthOf } from "./width.ts";

export interface Column {
  /** Cells between this column and the next. */
  gap?: number;
  align?: "left" | "right";
  leastWidth?: number;
  /** When the table is too wide, columns go in this order, lowest first; without it a column stays. */
  dropFirst?: number;
  /** A column of long texts: for its sake no other goes as long as this much of it has room. */
  leastSeen?: number;
}

/** Cells padded into columns; as many columns as fit in `width`. */
export function layOut(
  rows: readonly (readonly string[])[],
  columns: readonly Column[],
  width: number,
): string[][] {
  const widths = columns.map((column, index) =>
    Math.max(column.leastWidth ?? 0, ...rows.map((row) => widthOf(row[index] ?? ""))),
  );
  const shown = fittingColumns(columns, widths, width);
  return rows.map((row) =>
    shown.map((index, position) => {
      const cell = row[index] ?? "";
      const column = columns[index] ?? {};
      const padded =
        column.align === "right" ? padStart(cell, widths[index] ?? 0) : padEnd(cell, widths[index] ?? 0);
      return position === shown.length - 1 ? padded.trimEnd() : padded + " ".repeat(column.gap ?? 2);
    }),
  );
}

function fittingColumns(columns: readonly Column[], widths: readonly number[], width: number): number[] {
  // An empty column takes no width.
  let shown = columns.map((_, index) => index).filter((index) => (widths[index] ?? 0) > 0);
  const total = () =>
    shown.reduce((sum, index, position) => {
      const gap = position === shown.length - 1 ? 0 : (columns[index]?.gap ?? 2);
      return sum + Math.min(widths[index] ?? 0, columns[index]?.leastSeen ?? Infinity) + gap;
    }, 0);
  while (total() > width) {
    const droppable = shown.filter((index) => columns[index]?.dropFirst !== undefined);
    const [next] = droppable.toSorted((a, b) => (columns[a]?.dropFirst ?? 0) - (columns[b]?.dropFirst ?? 0));
    if (next === undefined) break;
    shown = shown.filter((index) => index !== next);
  }
  return shown;
}
