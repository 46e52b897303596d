import { createColors } from "picocolors";

export interface FormatOptions {
  /** Columns of the screen, 80 when not given. */
  width?: number;
  color?: boolean;
  /** Only characters every terminal has. */
  ascii?: boolean;
}

type Paint = (text: string) => string;

/** Colours and glyphs of a screen. */
export interface Style {
  bad: Paint;
  warn: Paint;
  dim: Paint;
  strong: Paint;
  plain: Paint;
  ok: string;
  cross: string;
  bar: string;
  ellipsis: string;
}

export function styleOf({ color = false, ascii = false }: FormatOptions): Style {
  const colors = createColors(color);
  return {
    bad: colors.red,
    warn: colors.yellow,
    dim: colors.gray,
    strong: colors.bold,
    ok: colors.green(ascii ? "v" : "✓"),
    cross: ascii ? "x" : "✗",
    bar: ascii ? "|" : "│",
    ellipsis: ascii ? "..." : "…",
    plain: (text: string) => (ascii ? text.replaceAll("…", "...") : text),
  };
}

export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
