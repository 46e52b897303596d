import type { Position } from "../../errors/index.ts";

export type Path = readonly (string | number)[];

/** `clusters.homelab.workers[1].disk`. */
export function formatPath(path: Path): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else text += text === "" ? part : `.${part}`;
  }
  return text;
}

/** The same for two values of one file that stand at one place: paths through an alias end where its anchor is. */
export const placeKey = ({ line, column, path = "" }: Position): string =>
  line === undefined ? path : `${line}:${column}`;

/** Turns offsets of a text into lines and columns that always lie inside it. */
export class TextPositions {
  private readonly starts: number[] = [0];
  private readonly end: number;
  readonly file: string;
  private readonly text: string;

  constructor(file: string, text: string) {
    this.file = file;
    this.text = text;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) this.starts.push(at + 1);
    this.end = Math.max(0, text.trimEnd().length - 1);
  }

  /** The place of `from` to `to`, cut at the end of its first line. */
  position(from: number, to: number, path: Path): Position {
    const offset = Math.max(0, Math.min(from, this.end));
    const line = this.lineOf(offset);
    const lineStart = this.starts[line] ?? 0;
    const nextLine = this.starts[line + 1] ?? this.text.length + 1;
    const lineEnd = lineStart + this.text.slice(lineStart, nextLine - 1).trimEnd().length;
    // What is wrong with the end of a line is shown at its last character.
    const start = Math.max(lineStart, Math.min(offset, lineEnd - 1));
    const length = Math.max(1, Math.min(to, lineEnd) - start);
    const where = formatPath(path);
    return {
      file: this.file,
      line: line + 1,
      column: start - lineStart + 1,
      length,
      path: where === "" ? undefined : where,
    };
  }

  private lineOf(offset: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Editors on some systems put this in front of a file; it is not part of the text. */
export const withoutByteOrderMark = (text: string): string => text.replace(/^\uFEFF/, "");
