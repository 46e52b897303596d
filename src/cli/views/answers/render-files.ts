import { drawLines, hint, line, marked, wholeLine, type Canvas, type Line } from "../text/line.ts";
import { style } from "../text/style.ts";
import { padEnd, widthOf, wrapText } from "../text/width.ts";

/** A file that was written, what is in it, and what to do with it. */
export function renderWritten(
  { file, text, next }: { file: string; text: string; next?: string },
  canvas: Canvas,
): string {
  return drawLines(
    [...fileLines(file, text, canvas), ...(next === undefined ? [] : hint("next", next, canvas))],
    canvas,
  );
}

/** What is in it stands below where both do not fit. */
function fileLines(file: string, text: string, canvas: Canvas): Line[] {
  const { glyphs } = style(canvas);
  if (widthOf(`${file}${text}`) + 5 > canvas.columns)
    return [wholeLine(["ok", glyphs.done], ` ${file}`), ...marked(" ", text, canvas)];
  return [wholeLine(["ok", glyphs.done], ` ${file}   ${text}`)];
}

/** Examples to begin with, and how to take one. */
export function renderExamples(examples: { name: string; summary: string }[], canvas: Canvas): string {
  return drawLines(
    [
      ...termLines(
        examples.map(({ name, summary }) => [name, summary]),
        canvas,
      ),
      line(),
      ...hint("next", "slipway init --example quickstart", canvas),
    ],
    canvas,
  );
}

/** A copied example, and what of it has to be changed. */
export function renderExampleCopied(file: string, summary: string, tail: string, canvas: Canvas): string {
  const { glyphs } = style(canvas);
  const does = "works at once, no hardware needed";
  return drawLines(
    [
      ...marked(["ok", glyphs.done], `${file} written: ${summary}${tail}`, canvas),
      ...hint("edit", "your hosts, and your network", canvas),
      ...(canvas.columns < 60
        ? [...hint("next", "slipway rehearse", canvas), ...hint("", does, canvas)]
        : hint("next", `slipway rehearse        ${does}`, canvas)),
    ],
    canvas,
  );
}

/** The build, and the versions of what it reads and speaks. */
export const renderVersion = (slipway: string, rows: [string, string][], canvas: Canvas): string =>
  drawLines([line(["strong", `slipway ${slipway}`]), ...termLines(rows, canvas)], canvas);

/** Terms and what they are, side by side. */
function termLines(rows: [term: string, text: string][], canvas: Canvas): Line[] {
  const width = Math.max(...rows.map(([term]) => widthOf(term)));
  const room = canvas.columns - width - 5;
  return rows.flatMap(([term, text]) =>
    room < 16
      ? [
          wholeLine(`  ${term}`),
          ...wrapText(text, canvas.columns - 4).map((part) => line("    ", ["dim", part])),
        ]
      : wrapText(text, room).map((part, index) =>
          line(`  ${padEnd(index === 0 ? term : "", width)}   `, part),
        ),
  );
}
