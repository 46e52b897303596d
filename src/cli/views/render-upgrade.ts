import type { ClusterUpgrade, VersionChoice } from "../../operations/index.ts";
import { drawLines, hint, line, type Canvas } from "./text/line.ts";
import { padEnd, widthOf } from "./text/width.ts";
import { style } from "./text/style.ts";

/** What a cluster runs and what may come next; with `isCheck`, also what to type. */
export function renderUpgrade(
  { cluster, versions }: ClusterUpgrade,
  isCheck: boolean,
  canvas: Canvas,
): string {
  const { arrow } = style(canvas).glyphs;
  const indent = " ".repeat(widthOf(cluster) + 3);
  const rows = versions.map((choice, index) =>
    line(
      index === 0 ? ["strong", padEnd(cluster, widthOf(indent))] : indent,
      padEnd(choice.title, 12),
      textOf(choice, arrow),
    ),
  );
  const isAny = versions.some(({ target }) => target !== undefined);
  const next = isCheck && isAny ? hint("next", `slipway upgrade ${cluster}`, canvas) : [];
  return drawLines([...rows, ...next], canvas);
}

function textOf({ running, wanted, target }: VersionChoice, arrow: string): string {
  const found = running ?? "no node answers";
  if (target !== undefined) return `${found} ${arrow} ${target}`;
  if (running === undefined || running === wanted) return found;
  return `${found}, the file says ${wanted}`;
}
