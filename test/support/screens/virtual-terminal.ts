import stringWidth from "string-width";
import type { Screen } from "../../../src/cli/views/index.ts";

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** A terminal that shows what a person would see: lines, a cursor, and what has scrolled away. */
export class VirtualTerminal implements Screen {
  columns: number;
  rows: number;
  readonly hasColor: boolean;
  readonly isUnicode: boolean;
  readonly isTerminal = true;
  isCursorHidden = false;
  writeCount = 0;
  byteCount = 0;
  /** Lines that left the screen at its top; nothing can change them any more. */
  readonly scrolled: string[] = [];
  private lines: string[] = [""];
  private row = 0;
  private column = 0;
  private wrapsNext = false;

  constructor(columns = 80, rows = 24, look: { hasColor?: boolean; isUnicode?: boolean } = {}) {
    this.columns = columns;
    this.rows = rows;
    this.hasColor = look.hasColor ?? true;
    this.isUnicode = look.isUnicode ?? true;
  }

  write(text: string): void {
    this.writeCount++;
    this.byteCount += text.length;
    // oxlint-disable-next-line no-control-regex -- escape sequences are what is looked for
    for (const part of text.split(/(\x1b\[[?\d;]*[A-Za-z]|\r|\n)/)) {
      if (part === "") continue;
      if (part === "\r") this.moveTo(this.row, 0);
      else if (part === "\n") this.feed();
      else if (part.startsWith("\x1b[")) this.obey(part);
      else this.print(part);
    }
  }

  /** The screen as a person sees it, without the empty end. */
  get visible(): string {
    return `${this.lines
      .map((text) => text.trimEnd())
      .join("\n")
      .trimEnd()}\n`;
  }

  /** All that is on the screen or above it. */
  get everything(): string {
    return [...this.scrolled, this.visible].join("\n");
  }

  /** As terminals do that wrap anew: what is too wide now takes more rows, and the cursor moves with its line. */
  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    const wrapped: string[] = [];
    let row = 0;
    this.lines.forEach((text, index) => {
      if (index === this.row) row = wrapped.length;
      do {
        wrapped.push(text.slice(0, columns));
        text = text.slice(columns);
      } while (text.trim() !== "");
    });
    this.lines = wrapped;
    this.row = row;
    this.column = Math.min(this.column, columns - 1);
    while (this.lines.length > rows && this.row >= rows) this.scroll();
  }

  private obey(sequence: string): void {
    const count = Number(sequence.slice(2, -1)) || 1;
    switch (sequence.at(-1)) {
      case "A":
        return this.moveTo(Math.max(0, this.row - count), this.column);
      case "B":
        return this.moveTo(Math.min(this.rows - 1, this.row + count), this.column);
      case "K":
        this.setLine(this.lineNow.slice(0, this.column));
        return;
      case "J":
        this.setLine(this.lineNow.slice(0, this.column));
        this.lines.length = this.row + 1;
        return;
      case "h":
      case "l":
        if (sequence.includes("?25")) this.isCursorHidden = sequence.endsWith("l");
        return;
      case "m":
        return;
      default:
        throw new Error(`unknown sequence ${JSON.stringify(sequence)}`);
    }
  }

  private print(text: string): void {
    const isSimple = /^[\x20-\x7e✓▸◌◦✗━─→…]*$/.test(text);
    const segments = isSimple
      ? text.split("")
      : Array.from(segmenter.segment(text), ({ segment }) => segment);
    for (const segment of segments) {
      if (this.wrapsNext) {
        this.feed();
        this.column = 0;
      }
      const before = this.lineNow.padEnd(this.column);
      this.setLine(before.slice(0, this.column) + segment + before.slice(this.column + 1));
      this.column += isSimple ? 1 : stringWidth(segment);
      this.wrapsNext = this.column >= this.columns;
      // A full line leaves the cursor on its last cell until the next character comes.
      if (this.wrapsNext) this.column = this.columns - 1;
    }
  }

  /** The terminal's driver turns a line feed into a return as well. */
  private feed(): void {
    this.column = 0;
    if (this.row === this.rows - 1) this.scroll();
    this.row++;
    this.wrapsNext = false;
    while (this.lines.length <= this.row) this.lines.push("");
  }

  private scroll(): void {
    this.scrolled.push((this.lines.shift() ?? "").trimEnd());
    this.row--;
  }

  private moveTo(row: number, column: number): void {
    this.row = row;
    this.column = column;
    this.wrapsNext = false;
    while (this.lines.length <= row) this.lines.push("");
  }

  private get lineNow(): string {
    return this.lines[this.row] ?? "";
  }

  private setLine(text: string): void {
    this.lines[this.row] = text;
  }
}
