import { visibleText } from "../../../lib/index.ts";
import { marksIn, type Box, type Shape, type Sketch } from "./sketch.ts";
import { strokeOf } from "../strokes.ts";

/** The sketch as D2: its program draws it with the theme of your choice. */
export function writeD2({ title, direction, boxes, lines, hasArrows }: Sketch): string {
  const paths = pathsOf(boxes, []);
  const written = [
    `# ${oneLine(title)}`,
    `direction: ${direction}`,
    ...classLines(boxes),
    ...boxes.flatMap((box) => boxLines(box, "")),
    ...lines.map(({ from, to, text }) => {
      const line = `${paths.get(from) ?? ""} ${hasArrows ? "->" : "--"} ${paths.get(to) ?? ""}`;
      return text === undefined ? line : `${line}: ${quoted(text)}`;
    }),
  ];
  return `${written.join("\n")}\n`;
}

const shapes: Record<Shape, string> = {
  group: "rectangle",
  box: "rectangle",
  endpoint: "oval",
  network: "queue",
  note: "page",
};

function boxLines({ id, shape, text, children, mark }: Box, indent: string): string[] {
  const inner = `${indent}  `;
  const head = `${indent}${quoted(id)}: ${quoted(text.join("\n"))}`;
  const details = [
    ...(shapes[shape] === "rectangle" ? [] : [`${inner}shape: ${shapes[shape]}`]),
    ...(mark === undefined ? [] : [`${inner}class: ${mark}`]),
    ...children.flatMap((child) => boxLines(child, inner)),
  ];
  return details.length === 0 ? [head] : [`${head} {`, ...details, `${indent}}`];
}

function classLines(boxes: Box[]): string[] {
  const marks = marksIn(boxes);
  if (marks.length === 0) return [];
  const each = marks.map((mark) => {
    const { colour, width, isDashed } = strokeOf(mark);
    const dash = isDashed ? "; stroke-dash: 5" : "";
    return `  ${mark}: { style: { stroke: ${quoted(colour)}; stroke-width: ${width}${dash} } }`;
  });
  return ["classes: {", ...each, "}"];
}

/** What an arrow calls a box: its own name, behind those of the boxes around it. */
const pathsOf = (boxes: Box[], around: string[]): Map<string, string> =>
  new Map(
    boxes.flatMap(({ id, children }): [string, string][] => {
      const path = [...around, quoted(id)];
      return [[id, path.join(".")], ...pathsOf(children, path)];
    }),
  );

const oneLine = (text: string): string => visibleText(text).replaceAll(/\s+/g, " ");

const quoted = (text: string): string =>
  `"${text
    .split("\n")
    .map((line) => oneLine(line).replaceAll(/["\\$]/g, (char) => `\\${char}`))
    .join("\\n")}"`;
