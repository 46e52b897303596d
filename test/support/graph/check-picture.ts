import { expect } from "vitest";
import { widthOf, type Font } from "../../../src/exports/graph/svg/measure.ts";
import { readXml, type XmlElement } from "../../../src/lib/index.ts";

interface Area {
  left: number;
  right: number;
  top: number;
  bottom: number;
  what: string;
}

/** Everything that must hold for any picture, whatever it shows. */
export function checkPicture(svg: string): void {
  const root = readXml(svg);
  expect(svg).not.toMatch(/<script|href|url\(|@import|javascript:|<foreignObject| on\w+="/i);
  expect(svg).toContain("prefers-color-scheme: dark");
  expect(root.attributes).toMatchObject({ role: "img", "aria-labelledby": "title desc" });
  for (const [index, name] of ["title", "desc"].entries())
    expect(root.children[index], name).toMatchObject({ name, attributes: { id: name } });
  const { boxes, texts } = areasOf(root);
  expect(texts.length).toBeGreaterThan(0);
  for (const text of texts)
    expect(isInside(text, smallestAround(text, boxes)), `${text.what} fits its box`).toBe(true);
  for (const [index, text] of texts.entries())
    for (const other of texts.slice(index + 1))
      expect(isApart(text, other), `"${text.what}" and "${other.what}" do not touch`).toBe(true);
  for (const [index, box] of boxes.entries())
    for (const other of boxes.slice(index + 1))
      expect(
        isApart(box, other) || isInside(box, other) || isInside(other, box),
        `${box.what} and ${other.what} do not cross`,
      ).toBe(true);
}

/** A pixel of rounding is nobody's fault. */
const slack = 1;

const isInside = (inner: Area, outer: Area): boolean =>
  inner.left >= outer.left - slack &&
  inner.right <= outer.right + slack &&
  inner.top >= outer.top - slack &&
  inner.bottom <= outer.bottom + slack;

const isApart = (a: Area, b: Area): boolean =>
  a.right <= b.left + slack ||
  b.right <= a.left + slack ||
  a.bottom <= b.top + slack ||
  b.bottom <= a.top + slack;

/** The box that a text begins in. */
function smallestAround({ left, top, bottom, what }: Area, boxes: Area[]): Area {
  const [x, y] = [left + 1, (top + bottom) / 2];
  const around = boxes.filter((box) => box.left <= x && box.right >= x && box.top <= y && box.bottom >= y);
  const sizeOf = (box: Area): number => (box.right - box.left) * (box.bottom - box.top);
  const [smallest] = around.toSorted((a, b) => sizeOf(a) - sizeOf(b));
  if (!smallest) throw new Error(`${what} stands outside of the picture`);
  return smallest;
}

/** Boxes and texts where they come to lie. Stripes, and the ground below labels, are parts of something else. */
function areasOf(root: XmlElement): { boxes: Area[]; texts: Area[] } {
  const [boxes, texts]: [Area[], Area[]] = [[], []];
  const visit = (element: XmlElement, x: number, y: number): void => {
    const { name, attributes, children, text } = element;
    const [, movedX = "0", movedY = "0"] =
      /^translate\((\S+) (\S+)\)$/.exec(attributes["transform"] ?? "") ?? [];
    const [left, top] = [x + Number(movedX), y + Number(movedY)];
    const className = attributes["class"] ?? "";
    if (name === "rect" && !/^(accent|worker|ground)$/.test(className))
      boxes.push(boxArea(attributes, left, top));
    if (name === "text") texts.push(textArea(attributes, text, left, top));
    for (const child of children) visit(child, left, top);
  };
  visit(root, 0, 0);
  return { boxes, texts };
}

function boxArea(attributes: XmlElement["attributes"], x: number, y: number): Area {
  const number = (name: string): number => Number(attributes[name]);
  const [left, top] = [x + number("x"), y + number("y")];
  return {
    ...{ left, top, right: left + number("width"), bottom: top + number("height") },
    what: `${attributes["class"]} at ${left}, ${top}`,
  };
}

function textArea(attributes: XmlElement["attributes"], text: string, x: number, y: number): Area {
  const font = fontOf(attributes["class"] ?? "");
  const width = widthOf(text, font);
  const [at, base] = [x + Number(attributes["x"]), y + Number(attributes["y"])];
  const left = attributes["text-anchor"] === "end" ? at - width : at;
  return {
    left,
    right: left + width,
    top: base - font.size * 0.8,
    bottom: base + font.size * 0.2,
    what: text,
  };
}

function fontOf(className: string): Font {
  const classes = new Set(className.split(" "));
  const size = classes.has("title") ? 17 : classes.has("name") ? 14 : classes.has("small") ? 11 : 12;
  const isBold = classes.has("title") || classes.has("name") || classes.has("strong");
  return { size, ...(isBold && { isBold: true }), ...(classes.has("mono") && { isMono: true }) };
}
