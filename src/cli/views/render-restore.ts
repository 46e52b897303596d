import type { PutBack, Restoration } from "../../operations/index.ts";
import { drawLines, line, wholeLine, type Canvas, type Line } from "./text/line.ts";
import { formatElapsed, joinNames } from "../../views/index.ts";
import { style } from "./text/style.ts";
import { wrapText } from "./text/width.ts";

const label = (name: string): string => `  ${name.padEnd(8)}`;

/** What a restore takes away and brings back, above its plan. */
export function renderRestoration(
  { cluster, takenAt, ageMs, recovery, secrets, copyOf }: Restoration,
  { source, files }: { source: string; files: PutBack },
  canvas: Canvas,
): string {
  const { glyphs } = style(canvas);
  const taken = `${takenAt.slice(0, 19).replace("T", " ")} UTC, ${formatElapsed(ageMs)} ago`;
  const holding = recovery?.holding ?? [];
  const wiped =
    holding.length === 0
      ? "no control plane holds any of it"
      : `${joinNames(holding)} still ${holding.length === 1 ? "holds" : "hold"} a part of it, which goes`;
  const written = [...files.written, ...secrets];
  return drawLines(
    [
      wholeLine(["strong", cluster.name], `   restore from ${source}`),
      ...rows(canvas, "taken", taken),
      ...(copyOf === undefined ? [] : besideRows(copyOf, canvas)),
      ...(recovery
        ? [
            ...rows(
              canvas,
              "etcd",
              copyOf === undefined ? `lost: ${wiped}` : "from the backup, on machines of its own",
            ),
            ...(copyOf === undefined
              ? rows(
                  canvas,
                  "loses",
                  `all that was written to the cluster in the ${formatElapsed(ageMs)} since`,
                  glyphs.warning,
                )
              : []),
          ]
        : rows(canvas, "etcd", "is back from this backup already; what is left to do follows")),
      ...(written.length > 0 ? rows(canvas, "back", written.join(", ")) : []),
      ...differing(files, canvas),
    ],
    canvas,
  );
}

/** What was put back without touching a cluster. */
export function renderPutBack(files: PutBack, secrets: string[], canvas: Canvas): string {
  const { glyphs } = style(canvas);
  const written = [...files.written, ...secrets];
  const lines = written.map((file) => line(["ok", glyphs.done], ` ${file}`));
  const nothing = line(["ok", glyphs.done], " everything in the backup is there already");
  return drawLines([...(lines.length > 0 ? lines : [nothing]), ...differing(files, canvas)], canvas);
}

/** What people have to know of a second cluster with the secrets of the first. */
const besideRows = (copyOf: string, canvas: Canvas): Line[] => [
  ...rows(
    canvas,
    "copy",
    `of ${copyOf}, which is not touched; its controllers that write to the outside are stopped`,
  ),
  ...rows(
    canvas,
    "shares",
    `certificates, tokens and keys with ${copyOf}: whoever may do something in one of them may do it in the other`,
    style(canvas).glyphs.warning,
  ),
];

const differing = ({ different }: PutBack, canvas: Canvas): Line[] =>
  different.flatMap((file) => rows(canvas, "differs", `${file} is not as in the backup; yours is used`));

function rows(canvas: Canvas, name: string, text: string, mark = ""): Line[] {
  const whole = mark === "" ? text : `${mark} ${text}`;
  return wrapText(whole, Math.max(20, canvas.columns - label(name).length)).map((part, index) =>
    line(index === 0 ? label(name) : label(""), mark === "" ? part : ["risk", part]),
  );
}
