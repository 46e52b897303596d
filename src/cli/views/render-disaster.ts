import type { DisasterReport, Moment } from "../../operations/index.ts";
import { drawLines, line, type Canvas } from "./text/line.ts";
import { formatElapsed } from "../../views/index.ts";
import { style } from "./text/style.ts";
import { padStart, wrapText } from "./text/width.ts";

const timeColumns = 9;

/** One line of the timeline. */
export const renderMoment = ({ atMs, what }: Moment, canvas: Canvas): string =>
  drawLines(
    wrapText(what, Math.max(20, canvas.columns - timeColumns - 2)).map((part, index) =>
      line(["dim", padStart(index === 0 ? formatElapsed(atMs) : "", timeColumns)], `  ${part}`),
    ),
    canvas,
  );

/** What the game day came to: the time it took, and what was lost. */
export function renderDisaster(
  report: DisasterReport,
  newestAgeMs: number | undefined,
  canvas: Canvas,
): string {
  const { glyphs } = style(canvas);
  const { isRecovered, recoveryTimeMs, recoveryPointMs, objects, error } = report;
  const rows: [string, string][] = [
    ["recovery time", `${formatElapsed(recoveryTimeMs)}, from the loss until all checks passed`],
    [
      "recovery point",
      recoveryPointMs === 0
        ? "nothing was lost"
        : `${formatElapsed(recoveryPointMs)} before the loss, when the backup was taken`,
    ],
    [
      "objects",
      `${objects.beforeKept} of ${objects.before} written before the backup are there, ${objects.afterKept} of ${objects.after} written after it`,
    ],
    ...(newestAgeMs === undefined
      ? []
      : [
          ["your newest", `backup is ${formatElapsed(newestAgeMs)} old: today that would be lost`] as [
            string,
            string,
          ],
        ]),
    ...(error && !isRecovered ? [["why", error.why] as [string, string]] : []),
  ];
  const head = isRecovered
    ? line(["ok", glyphs.done], " ", ["strong", report.cluster], ` came back from ${report.disaster}`)
    : line(
        ["bad", glyphs.failed],
        " ",
        ["strong", report.cluster],
        ` did not come back from ${report.disaster}`,
      );
  return drawLines(
    [
      head,
      ...rows.flatMap(([name, text]) =>
        wrapText(text, Math.max(20, canvas.columns - 18)).map((part, index) =>
          line(`  ${(index === 0 ? name : "").padEnd(16)}`, part),
        ),
      ),
    ],
    canvas,
  );
}
