import { visibleText } from "../../../lib/index.ts";
import type { Screen } from "./screen.ts";
import { style, toAscii, type Role } from "./style.ts";
import { cutText, padEnd, splitAt, widthOf, wrapWhole } from "./width.ts";

/** A piece of a line; with a role it may get a colour, which never carries meaning alone. */
export type Span = string | [Role, string];

/** One line of a screen: text from the left, and at the right edge a time or a code. */
export interface Line {
  left: Span[];
  right?: Span | undefined;
  /** Never cut: what is wider than the screen is for the terminal to wrap, so that it is copied in one piece. */
  isWhole?: true;
}

/** The part of a screen that decides how a line looks. */
export type Canvas = Pick<Screen, "columns" | "hasColor" | "isUnicode">;

/** A list as others read it: on a terminal as wide as that, in a pipe a whole row to a line. */
export const rowsOn = ({ isTerminal, columns, hasColor, isUnicode }: Screen): Canvas => ({
  ...{ hasColor, isUnicode },
  columns: isTerminal ? columns : Infinity,
});

export const line = (...left: Span[]): Line => ({ left });
export const wholeLine = (...left: Span[]): Line => ({ left, isWhole: true });
export const blank: Line = { left: [] };

/** A hint with its label: `  next  slipway up`, wrapped under its text. */
export function hint(label: string, text: string, canvas: Canvas): Line[] {
  const indent = 8;
  return wrapWhole(safeText(text, canvas), canvas.columns - indent).map((part, index) =>
    wholeLine("  ", index === 0 ? ["strong", padEnd(label, 6)] : " ".repeat(6), part),
  );
}

/** A sentence behind its sign, wrapped under its text. */
export const marked = (sign: Span, text: string, canvas: Canvas, indent = ""): Line[] =>
  wrapWhole(safeText(text, canvas), canvas.columns - indent.length - 2).map((part, index) =>
    wholeLine(indent, index === 0 ? sign : " ", " ", part),
  );

/** Plain text, wrapped at the edge. */
export const sentence = (text: string, canvas: Canvas, role?: Role): Line[] =>
  wrapWhole(safeText(text, canvas), canvas.columns).map((part) =>
    wholeLine(role === undefined ? part : [role, part]),
  );

/** Something to type behind what is said about it: on a line of its own where both do not fit, and never broken. */
export function commandHint(label: string, text: string, command: string, canvas: Canvas): Line[] {
  const isNarrow = widthOf(`${text} ${command}`) > canvas.columns - 8;
  if (!isNarrow) return hint(label, `${text} ${command}`, canvas);
  return [...hint(label, text, canvas), wholeLine(" ".repeat(8), command)];
}

/** Further out no eye finds the line that a time belongs to. */
const mostEdge = 120;

/** A line as text, never wider than the canvas unless it has to stay whole: what stands right is kept, what stands left is cut. */
export function drawLine(drawn: Line, canvas: Canvas): string {
  const { paint, glyphs } = style(canvas);
  const right = spanOf(drawn.right ?? "", canvas);
  const rightText = splitAt(right.text, canvas.columns)[0];
  const rightWidth = widthOf(rightText);
  const room = drawn.isWhole
    ? Infinity
    : rightWidth === 0
      ? canvas.columns
      : Math.max(0, canvas.columns - rightWidth - 1);
  let used = 0;
  let text = "";
  for (const span of drawn.left) {
    const { role, text: full } = spanOf(span, canvas);
    const width = widthOf(full);
    const fits = used + width <= room;
    const shown = fits ? full : cutText(full, room - used, glyphs.cut);
    text += role === undefined ? shown : paint(role, shown);
    used += widthOf(shown);
    if (!fits) break;
  }
  if (rightWidth === 0) return text.trimEnd();
  const edge = Math.max(Math.min(canvas.columns, mostEdge), used + 1 + rightWidth);
  const gap = " ".repeat(Math.max(0, Math.min(edge, canvas.columns) - rightWidth - used));
  return text + gap + (right.role === undefined ? rightText : paint(right.role, rightText));
}

/** Lines as one text, each ended. */
export const drawLines = (lines: readonly Line[], canvas: Canvas): string =>
  lines.map((drawn) => `${drawLine(drawn, canvas)}\n`).join("");

function spanOf(span: Span, canvas: Canvas): { role?: Role; text: string } {
  return typeof span === "string"
    ? { text: safeText(span, canvas) }
    : { role: span[0], text: safeText(span[1], canvas) };
}

/** Text from outside must not move the cursor, start a new line, or turn what stands beside it around. */
export function safeText(text: string, canvas: Pick<Canvas, "isUnicode">): string {
  const clean = visibleText(text.replaceAll(/\r?\n|[\t\u2028\u2029]/g, " "));
  return canvas.isUnicode ? clean : toAscii(clean);
}
