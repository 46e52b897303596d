import { element, visibleText, writeXml, type XmlPiece } from "../../../lib/index.ts";
import { marks } from "../marks.ts";
import type { Diagram, Mark } from "../model.ts";
import { summaryOf, titleOf } from "../titles.ts";
import type { Font } from "./measure.ts";
import { styleSheet } from "./style.ts";

/** Something drawn, its upper left corner at 0, 0. */
export interface Drawing {
  pieces: XmlPiece[];
  width: number;
  height: number;
}

/** The fonts of the style sheet, as the measure knows them. */
export const fonts = {
  text: { size: 12 },
  strong: { size: 12, isBold: true },
  mono: { size: 12, isMono: true },
  small: { size: 11 },
  name: { size: 14, isBold: true },
  title: { size: 17, isBold: true },
} satisfies Record<string, Font>;

/** Room between the edge of the picture and what it shows. */
const margin = 20;

/** The picture of a diagram as a file: it needs nothing else, and the same diagram is always the same bytes. */
export function writeSvg(diagram: Diagram, drawing: Drawing): string {
  const width = Math.ceil(drawing.width + 2 * margin);
  const height = Math.ceil(drawing.height + 2 * margin);
  return writeXml(
    element(
      "svg",
      {
        xmlns: "http://www.w3.org/2000/svg",
        width,
        height,
        viewBox: `0 0 ${width} ${height}`,
        role: "img",
        "aria-labelledby": "title desc",
      },
      [
        element("title", { id: "title" }, visibleText(titleOf(diagram))),
        element("desc", { id: "desc" }, visibleText(summaryOf(diagram))),
        element("style", {}, styleSheet()),
        box(0.5, 0.5, width - 1, height - 1, "page", 12),
        moved(margin, margin, drawing.pieces),
      ],
    ),
  );
}

const round = (value: number): number => Math.round(value * 10) / 10;

export const moved = (x: number, y: number, pieces: XmlPiece[]): XmlPiece | undefined =>
  pieces.length === 0 ? undefined : element("g", { transform: `translate(${round(x)} ${round(y)})` }, pieces);

export const box = (
  x: number,
  y: number,
  width: number,
  height: number,
  className: string,
  radius = 8,
): XmlPiece =>
  element("rect", {
    x: round(x),
    y: round(y),
    width: round(width),
    height: round(height),
    rx: radius,
    class: className,
  });

/** `y` is the line the letters stand on. */
export const text = (
  x: number,
  y: number,
  content: string,
  className = "",
  anchor?: "end" | "middle",
): XmlPiece =>
  element(
    "text",
    {
      x: round(x),
      y: round(y),
      class: className === "" ? undefined : className,
      "text-anchor": anchor,
    },
    visibleText(content),
  );

export const path = (points: [number, number][], className: string): XmlPiece =>
  element("path", {
    d: points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${round(x)} ${round(y)}`).join(" "),
    class: className,
  });

/** A line that leaves downwards and arrives downwards, whatever lies between its points. */
export const curve = (points: [number, number][], className: string): XmlPiece =>
  element("path", {
    d: points
      .map(([x, y], index) => {
        const [fromX, fromY] = points[index - 1] ?? [x, y];
        const middle = (fromY + y) / 2;
        if (index === 0) return `M${round(x)} ${round(y)}`;
        return `C${round(fromX)} ${round(middle)} ${round(x)} ${round(middle)} ${round(x)} ${round(y)}`;
      })
      .join(" "),
    class: className,
  });

export const arrowHead = (x: number, y: number): XmlPiece =>
  element("path", {
    d: `M${round(x)} ${round(y)} L${round(x - 4)} ${round(y - 7)} L${round(x + 4)} ${round(y - 7)} Z`,
    class: "arrow",
  });

/** What a picture is called, for views whose parts do not say it. */
export const drawHeading = (diagram: Diagram, detail: string, width: number): Drawing => ({
  pieces: [text(0, 16, titleOf(diagram), "title"), text(width, 15, detail, "dim", "end")],
  width,
  height: 34,
});

export const circle = (x: number, y: number, radius: number, className: string): XmlPiece =>
  element("circle", { cx: round(x), cy: round(y), r: radius, class: className });

/** What is known about a thing and has no room in the picture: browsers show it where the pointer rests. */
export const hint = (content: string): XmlPiece => element("title", {}, visibleText(content));

/** How a card with this mark is drawn. */
export function cardClass(mark: Mark | undefined): string {
  if (mark === undefined || marks[mark].tone === "quiet" || marks[mark].tone === "good") return "card";
  return `on-${marks[mark].tone}${marks[mark].isAbsent ? " absent" : ""}`;
}

export const toneOf = (mark: Mark): string => marks[mark].tone;
