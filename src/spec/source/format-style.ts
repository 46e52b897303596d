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
  // Ended as every view ends them: a screen spells out all codes that are not its own.
  const paint =
    (code: number): Paint =>
    (text) =>
      color ? `\u001b[${code}m${text}\u001b[0m` : text;
  return {
    bad: paint(31),
    warn: paint(33),
    dim: paint(90),
    strong: paint(1),
    ok: paint(32)(ascii ? "v" : "✓"),
    cross: ascii ? "x" : "✗",
    bar: ascii ? "|" : "│",
    ellipsis: ascii ? "..." : "…",
    plain: (text: string) => (ascii ? text.replaceAll("…", "...") : text),
  };
}

export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
