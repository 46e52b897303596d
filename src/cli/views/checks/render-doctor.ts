import type { EventBody } from "../../../plan/index.ts";
import { drawLines, line, safeText, type Canvas, type Line } from "../text/line.ts";
import { renderError } from "../problem/render-error.ts";
import { style } from "../text/style.ts";
import { padEnd, widthOf, wrapText } from "../text/width.ts";
import { formatDuration } from "../../../views/index.ts";
import type { ErrorData } from "../../../errors/index.ts";

export type ShownAnswer = Pick<
  Extract<EventBody, { type: "check" }>,
  "id" | "title" | "status" | "answer" | "found" | "parent"
>;

/** Where answers begin, and where what was seen begins. */
const answerColumn = 34;
const answerWidth = 6;

export const renderDoctorHead = (cluster: string, canvas: Canvas): string =>
  drawLines([line(["strong", cluster], "   doctor")], canvas);

/** One question of the tree, below the one that led to it. A well answer is ticked, so that the trouble stands out. */
export function renderAnswer(shown: ShownAnswer, depth: number, canvas: Canvas): string {
  const { glyphs } = style(canvas);
  const isWell = shown.status === "ok";
  const branch = depth === 0 ? "" : `${"  ".repeat(depth - 1)}${canvas.isUnicode ? "└" : "`"} `;
  const question = `${branch}${isWell ? glyphs.done : "?"} ${safeText(shown.title, canvas)}`;
  const answer = safeText(shown.answer ?? (isWell ? "yes" : "no"), canvas);
  const indent = Math.max(answerColumn, widthOf(question) + 2);
  const seenAt = indent + Math.max(answerWidth, widthOf(answer) + 2);
  const isNarrow = canvas.columns < 70;
  const room = isNarrow ? canvas.columns - 4 : canvas.columns - seenAt;
  const seen = wrapText(safeText(shown.found ?? "", canvas), Math.max(20, room));
  const head = padEnd(question, indent);
  const tone = isWell ? "ok" : shown.status === "warned" ? "warn" : "bad";
  const said: ["ok" | "bad" | "warn", string] = [tone, padEnd(answer, seenAt - indent)];
  const lines: Line[] = isNarrow
    ? [line(`${question}  `, [said[0], answer]), ...seen.map((part) => line("    ", part))]
    : [line(head, said, seen[0] ?? ""), ...seen.slice(1).map((part) => line(" ".repeat(seenAt), part))];
  return drawLines(lines, canvas);
}

/** The end of a walk: the cause with one thing to do, or that nothing is wrong. */
export function renderDiagnosis(
  found: { cluster: string; asked: number; unanswered: number; cause?: ErrorData; tookMs: number },
  canvas: Canvas,
): string {
  if (found.cause) return `\n${renderError(found.cause, {}, canvas)}`;
  const { glyphs } = style(canvas);
  const { asked, unanswered } = found;
  const open = unanswered === 0 ? "" : `, ${unanswered} not answered`;
  const words = `${found.cluster}: nothing wrong found, ${asked} questions asked${open}`;
  const mark: Line["left"][number] = unanswered === 0 ? ["ok", glyphs.done] : ["warn", "?"];
  return drawLines(
    [{ left: [mark, " ", ["strong", words]], right: ["dim", formatDuration(found.tookMs)] }],
    canvas,
  );
}
