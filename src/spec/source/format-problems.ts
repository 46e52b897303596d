import stringWidth from "string-width";
import { count, styleOf, type FormatOptions, type Style } from "./format-style.ts";
import { hidePart, hideSecrets } from "./hide-secrets.ts";
import { printableText, printable } from "./printable.ts";
import type { Problem, SourceFile } from "./problem.ts";
import { withoutByteOrderMark } from "./positions.ts";

/** Problems as `slipway validate` shows them: each with its line, what is wrong and what to do. */
export function formatProblems(
  problems: readonly Problem[],
  sources: readonly SourceFile[],
  options: FormatOptions = {},
): string {
  return formatFindings(problems, sources, "problem", options);
}

/** Warnings, in the same form. */
export function formatWarnings(
  warnings: readonly Problem[],
  sources: readonly SourceFile[],
  options: FormatOptions = {},
): string {
  return formatFindings(warnings, sources, "warning", options);
}

function formatFindings(
  findings: readonly Problem[],
  sources: readonly SourceFile[],
  kind: "problem" | "warning",
  options: FormatOptions,
): string {
  const style = styleOf(options);
  const files = [...new Set(findings.map((finding) => finding.position.file))];
  const blocks = files.map((file) => {
    const own = findings.filter((finding) => finding.position.file === file);
    const text = sources.find((source) => source.file === file)?.text ?? "";
    const lines = showableLines(text, own);
    const mark = kind === "problem" ? style.bad(style.cross) : style.warn("!");
    const gutter = String(Math.max(10, ...own.map((finding) => finding.position.line ?? 0))).length;
    const shown = own.map((finding) => formatFinding(finding, lines, gutter, style, options.width ?? 80));
    return [`${mark} ${style.strong(printableText(file))}   ${count(own.length, kind)}`, ...shown].join(
      "\n\n",
    );
  });
  return blocks.join("\n\n");
}

/** The lines of a file with every secret hidden, those that the problems themselves point at included. */
function showableLines(text: string, findings: readonly Problem[]): string[] {
  const lines = withoutByteOrderMark(text).split("\n");
  for (const { isSecret, position } of findings) {
    const { line: number, column = 1, length } = position;
    const line = number === undefined ? undefined : lines[number - 1];
    if (isSecret && number !== undefined && line !== undefined) {
      lines[number - 1] = hidePart(line, column, length ?? line.length);
    }
  }
  return lines;
}

function formatFinding(
  { position, what, next, code }: Problem,
  lines: readonly string[],
  gutter: number,
  style: Style,
  width: number,
): string {
  const indent = " ".repeat(2 + gutter + 1);
  const whole = Math.max(width - indent.length, 20);
  const [first = "", ...rest] = wrap(style.plain(what), [whole - code.length - 2, whole]);
  const nextLines = wrap(style.plain(next), [whole - 6, whole - 6]);
  return [
    ...placeLines(position, lines, indent, style, width),
    `${indent}${first}${" ".repeat(Math.max(2, whole - code.length - stringWidth(first)))}${style.bad(code)}`,
    ...rest.map((part) => indent + part),
    ...nextLines.map((part, i) => `${indent}${i === 0 ? "next  " : "      "}${part}`),
  ].join("\n");
}

/** The line with carets below the mistake; where there are no lines, the path of the value. */
function placeLines(
  { line: number, column = 1, length = 1, path }: Problem["position"],
  lines: readonly string[],
  indent: string,
  style: Style,
  width: number,
): string[] {
  if (number === undefined) return path === undefined ? [] : [`  ${style.dim(printableText(path))}`];
  const text = hideSecrets((lines[number - 1] ?? "").trimEnd());
  const room = width - indent.length - 2;
  const { line, carets } = excerptLine(text, column, length, room, style.ellipsis);
  return [
    `${style.dim(`${String(number).padStart(indent.length - 1)} ${style.bar}`)} ${line}`.trimEnd(),
    `${indent}${style.dim(style.bar)} ${carets.replace(/\^+/, style.bad)}`,
  ];
}

/** Lines broken between words, never inside of `(line 19)`; `widths` is the room of the first line and of all others. */
function wrap(text: string, [firstWidth, width]: [number, number]): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/ (?!\d+\))/)) {
    const room = lines.length === 0 ? firstWidth : width;
    if (line === "") line = word;
    else if (stringWidth(line) + 1 + stringWidth(word) <= room) line += ` ${word}`;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

interface Excerpt {
  /** The line of the file, cut to fit. */
  line: string;
  /** Spaces and carets below it. */
  carets: string;
}

/** More of a line than any screen shows is not looked at. */
const mostLooked = 400;

/** One line of a file around a mistake, cut where it is too long. Control characters never reach the terminal. */
function excerptLine(text: string, column: number, length: number, width: number, ellipsis: string): Excerpt {
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
