import { createColors } from "picocolors";
import stringWidth from "string-width";
import type { Fleet } from "./model.ts";
import { excerptLine } from "./excerpt.ts";
import { hidePart, hideSecrets } from "./hide-secrets.ts";
import { printableText } from "./printable.ts";
import type { Problem, SourceFile } from "./problem.ts";
import { withoutByteOrderMark } from "./text-places.ts";

export interface FormatOptions {
  /** Columns of the screen, 80 when not given. */
  width?: number;
  color?: boolean;
  /** Only characters every terminal has. */
  ascii?: boolean;
}

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

/** The one line for a file without problems. */
export function formatValid(fleet: Fleet, options: FormatOptions = {}): string {
  const { ok, strong } = styleOf(options);
  const nodes = fleet.clusters.reduce((sum, cluster) => sum + cluster.nodes.length, 0);
  const counts = [
    count(fleet.clusters.length, "cluster"),
    count(nodes, "node"),
    count(fleet.hosts.length, "host"),
  ];
  return `${ok} ${strong(printableText(fleet.file))}   ${counts.join(", ")}; no address, VMID or MAC twice`;
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
    const gutter = String(Math.max(10, ...own.map((finding) => finding.position.line))).length;
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
    const line = lines[position.line - 1];
    if (isSecret && line !== undefined) {
      lines[position.line - 1] = hidePart(line, position.column, position.length ?? line.length);
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
  const room = width - indent.length - 2;
  const text = hideSecrets((lines[position.line - 1] ?? "").trimEnd());
  const { line, carets } = excerptLine(text, position.column, position.length ?? 1, room, style.ellipsis);
  const number = String(position.line).padStart(gutter + 2);
  const whole = Math.max(width - indent.length, 20);
  const [first = "", ...rest] = wrap(style.plain(what), [whole - code.length - 2, whole]);
  const nextLines = wrap(style.plain(next), [whole - 6, whole - 6]);
  return [
    `${style.dim(`${number} ${style.bar}`)} ${line}`.trimEnd(),
    `${indent}${style.dim(style.bar)} ${carets.replace(/\^+/, style.bad)}`,
    `${indent}${first}${" ".repeat(Math.max(2, whole - code.length - stringWidth(first)))}${style.bad(code)}`,
    ...rest.map((part) => indent + part),
    ...nextLines.map((part, i) => `${indent}${i === 0 ? "next  " : "      "}${part}`),
  ].join("\n");
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

type Style = ReturnType<typeof styleOf>;

function styleOf({ color = false, ascii = false }: FormatOptions) {
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

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
