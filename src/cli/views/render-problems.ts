import type { Position } from "../../errors/index.ts";
import { blank, drawLines, line, safeText, type Canvas, type Line } from "./line.ts";
import { style } from "./style.ts";
import { splitAt, widthOf, wrapText } from "./text.ts";
import { formatNumber } from "./words.ts";

/** One mistake in the cluster file. */
export interface ShownProblem {
  code: string;
  what: string;
  next: string;
  position: Position;
  /** The text at that place may be a secret: it is never shown. */
  isSecret?: boolean;
}

/** All mistakes at once, each with the line it stands on; `sources` are the texts of the files by name. */
export function renderProblems(
  problems: readonly ShownProblem[],
  sources: ReadonlyMap<string, string>,
  canvas: Canvas,
): string {
  const files = [...new Set(problems.map((problem) => problem.position.file))];
  const { glyphs } = style(canvas);
  const head = line(
    ["bad", glyphs.failed],
    " ",
    ["strong", files.join(", ")],
    `   ${formatNumber(problems.length, "problem")}`,
  );
  const hasManyFiles = files.length > 1;
  return drawLines(
    [
      head,
      ...problems.flatMap((problem) => [blank, ...problemLines(problem, sources, hasManyFiles, canvas)]),
    ],
    canvas,
  );
}

function problemLines(
  problem: ShownProblem,
  sources: ReadonlyMap<string, string>,
  hasManyFiles: boolean,
  canvas: Canvas,
): Line[] {
  const { position, code, what, next } = problem;
  const number = String(position.line);
  const indent = 3 + number.length;
  const pad = " ".repeat(indent);
  const where = hasManyFiles ? [line("  ", ["dim", `${position.file}:${number}`])] : [];
  const text =
    problem.isSecret === true ? undefined : sources.get(position.file)?.split("\n")[position.line - 1];
  const [first = "", ...more] = wrapText(safeText(what, canvas), canvas.columns - indent);
  const fits = indent + widthOf(first) + widthOf(code) + 2 <= canvas.columns && more.length === 0;
  return [
    ...where,
    ...(text === undefined || text.trim() === "" ? [] : sourceLines(text, position, canvas)),
    fits ? { left: [pad, ["strong", first]], right: ["bad", code] } : line(pad, ["strong", first]),
    ...more.map((part) => line(pad, ["strong", part])),
    ...(fits ? [] : [{ left: [], right: ["bad", code] } satisfies Line]),
    ...wrapText(safeText(next, canvas), canvas.columns - indent - 6).map((part, index) =>
      line(pad, ["strong", index === 0 ? "next  " : "      "], part),
    ),
  ];
}

/** The line and its carets, cut around them when it is too long. */
function sourceLines(source: string, position: Position, canvas: Canvas): Line[] {
  const { glyphs } = style(canvas);
  const number = String(position.line);
  const room = canvas.columns - number.length - 5;
  const text = safeText(source.replaceAll("\t", " "), canvas);
  const from = Math.max(0, position.column - 1);
  const length = Math.max(1, position.length ?? 1);
  const cut = widthOf(glyphs.cut);
  const shift = from + length <= room ? 0 : Math.min(from, from + length - room + cut);
  const lead = shift > 0 ? glyphs.cut : "";
  const whole = lead + text.slice(shift);
  const isCut = widthOf(whole) > room && widthOf(lead) + from - shift + length <= room - cut;
  const shown = isCut ? splitAt(whole, room - cut)[0] + glyphs.cut : splitAt(whole, room)[0];
  const caretAt = Math.min(room - 1, widthOf(lead) + widthOf(text.slice(shift, from)));
  const carets = "^".repeat(Math.max(1, Math.min(length, room - caretAt)));
  const bar = glyphs.bar;
  return [
    line("  ", ["dim", `${number} ${bar}`], " ", shown),
    line("  ", ["dim", `${" ".repeat(number.length)} ${bar}`], " ", " ".repeat(caretAt), ["bad", carets]),
  ];
}
