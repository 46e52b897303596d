import { element, type XmlPiece } from "../../../lib/index.ts";
import { groupSteps, type StepGroup } from "../group-steps.ts";
import { marks, markText } from "../marks.ts";
import type { StepsDiagram } from "../model.ts";
import { usualText } from "../texts.ts";
import { contentOf } from "../titles.ts";
import {
  arrowHead,
  box,
  cardClass,
  curve,
  drawHeading,
  fonts,
  hint,
  moved,
  text,
  toneOf,
  type Drawing,
} from "./canvas.ts";
import { pageWidth } from "./draw-topology.ts";
import { layOut, type LaidOut } from "./lay-out.ts";
import { widthOf, wrap } from "./measure.ts";

const padding = 12;
const narrowest = 130;
const widest = 250;

/** Steps from top to bottom: what stands on one level can be done at the same time. */
export async function drawSteps(diagram: StepsDiagram): Promise<Drawing> {
  const groups = groupSteps(diagram);
  if (groups.length === 0) return drawHeading(diagram, "nothing to do", pageWidth);
  const drawn = new Map(groups.map((group) => [group.id, drawStep(group)]));
  const laidOut = await layOut(
    groups.map(({ id }) => ({ id, width: drawn.get(id)?.width ?? 0, height: drawn.get(id)?.height ?? 0 })),
    groups.flatMap(({ id, after }) => after.map((from) => ({ from, to: id }))),
  );
  const width = Math.max(pageWidth, laidOut.width);
  const left = (width - laidOut.width) / 2;
  const heading = drawHeading(diagram, detailOf(diagram), width);
  const boxes = laidOut.boxes.map(({ id, x, y }) =>
    moved(left + x, heading.height + y, drawn.get(id)?.pieces ?? []),
  );
  const arrows = laidOut.arrows.map((points) => drawArrow(points, left, heading.height));
  return {
    pieces: [...heading.pieces, ...arrows, ...boxes].filter((piece) => piece !== undefined),
    width,
    height: heading.height + laidOut.height,
  };
}

const detailOf = (diagram: StepsDiagram): string =>
  `${contentOf(diagram)}, ${diagram.from === "file" ? "on empty hosts" : "by the next up"}`;

function drawStep({ title, names, steps }: StepGroup): Drawing {
  const [{ mark, note, usualMs }] = steps;
  const sign = mark === undefined ? "" : `${marks[mark].sign} `;
  const inner = widest - 2 * padding;
  const titles = wrap(`${sign}${title}`, inner, fonts.strong, 3);
  const below = [
    ...(names === "" ? [] : wrap(names, inner, fonts.small, 2)),
    ...(usualMs === undefined ? [] : [usualText(usualMs)]),
  ];
  const notes =
    mark === undefined || note === undefined ? [] : wrap(markText(mark, note), inner, fonts.small, 3);
  const tone = mark === undefined ? "dim" : toneOf(mark);
  const widths = [
    ...titles.map((line) => widthOf(line, fonts.strong)),
    ...[...below, ...notes].map((line) => widthOf(line, fonts.small)),
  ];
  const width = Math.max(narrowest, ...widths) + 2 * padding;
  const rows: [string, string][] = [
    ...titles.map((line): [string, string] => [line, "strong"]),
    ...below.map((line): [string, string] => [line, "small dim"]),
    ...notes.map((line): [string, string] => [line, `small ${tone}`]),
  ];
  const height = 2 * padding - 4 + rows.length * 16;
  return {
    pieces: [
      box(0, 0, width, height, mark === undefined ? "card" : cardClass(mark).replace(" absent", ""), 7),
      ...rows.map(([line, className], index) => text(padding, padding + 9 + index * 16, line, className)),
      ...(steps.length > 1 ? [hint(steps.map((step) => step.title).join("\n"))] : []),
    ],
    width,
    height,
  };
}

function drawArrow(points: LaidOut["arrows"][number], left: number, top: number): XmlPiece | undefined {
  const shifted = points.map(([x, y]): [number, number] => [x + left, y + top]);
  const end = shifted.at(-1);
  if (!end) return undefined;
  const [x, y] = end;
  return element("g", {}, [curve([...shifted.slice(0, -1), [x, y - 6]], "wire"), arrowHead(x, y)]);
}
