import type { ErrorData } from "../../../errors/index.ts";
import { drawLines, hint, line, safeText, type Canvas, type Line } from "../text/line.ts";
import { style } from "../text/style.ts";
import { widthOf, wrapText } from "../text/width.ts";

export interface ErrorExtras {
  /** What the run leaves in place. */
  kept?: string | undefined;
  /** Where to look further. */
  more?: string | undefined;
}

/** The block that ends a failed command: what, why, where, and one thing to do. */
export const renderError = (error: ErrorData, extras: ErrorExtras, canvas: Canvas): string =>
  drawLines(errorLines(error, extras, canvas), canvas);

export function errorLines(error: ErrorData, extras: ErrorExtras, canvas: Canvas): Line[] {
  const hints: [string, string | undefined][] = [
    ["why", error.why],
    ["at", error.at && placeText(error.at)],
    ["next", error.next],
    ["else", error.else],
    ["kept", extras.kept],
    ["more", extras.more],
  ];
  return [
    ...headLines(error, canvas),
    ...hints.flatMap(([label, text]) => (text === undefined || text === "" ? [] : hint(label, text, canvas))),
  ];
}

/** The code stands at the right edge; where there is no room for both it gets a line of its own. */
function headLines({ what, code }: ErrorData, canvas: Canvas): Line[] {
  const glyph = style(canvas).glyphs.failed;
  const text = safeText(what, canvas);
  const fitsOneLine = widthOf(text) + widthOf(code) + 4 <= canvas.columns;
  if (fitsOneLine) return [{ left: [["bad", glyph], " ", ["strong", text]], right: ["bad", code] }];
  const [first = "", ...more] = wrapText(text, canvas.columns - 2);
  const last = more.at(-1) ?? "";
  const sharesLast = more.length > 0 && widthOf(last) + widthOf(code) + 4 <= canvas.columns;
  const lines: Line[] = [
    line(["bad", glyph], " ", ["strong", first]),
    ...more.map((part) => line("  ", ["strong", part])),
  ];
  if (sharesLast) lines[lines.length - 1] = { left: ["  ", ["strong", last]], right: ["bad", code] };
  else lines.push({ left: [], right: ["bad", code] });
  return lines;
}

const placeText = ({ file, line: row, column, path }: NonNullable<ErrorData["at"]>): string =>
  `${file}${row === undefined ? "" : `:${row}:${column}`}${path === undefined ? "" : `  ${path}`}`;
