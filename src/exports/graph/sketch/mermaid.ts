import { visibleText } from "../../../lib/index.ts";
import { marksIn, type Box, type Shape, type Sketch } from "./sketch.ts";
import { strokeOf } from "../strokes.ts";

/** The sketch as a flowchart of Mermaid, which GitHub and many others draw where they find it in a page. */
export function writeMermaid({ title, direction, boxes, lines, hasArrows }: Sketch): string {
  const ids = idsOf(boxes);
  const idOf = (id: string): string => ids.get(id) ?? "";
  const written = [
    "---",
    `title: ${JSON.stringify(visibleText(title))}`,
    "config:",
    "  flowchart:",
    "    wrappingWidth: 400",
    "---",
    `flowchart ${direction === "down" ? "TB" : "LR"}`,
    ...boxes.flatMap((box) => boxLines(box, idOf, "  ")),
    ...lines.map(({ from, to, text }) => {
      const label = text === undefined ? "" : `|${quoted([text])}|`;
      return `  ${idOf(from)} ${hasArrows ? "-->" : "---"}${label} ${idOf(to)}`;
    }),
    ...marksIn(boxes).map((mark) => {
      const { colour, width, isDashed } = strokeOf(mark);
      const dash = isDashed ? ",stroke-dasharray:6 4" : "";
      return `  classDef ${classOf(mark)} stroke:${colour},stroke-width:${width}px${dash}`;
    }),
    ...classLines(boxes, idOf),
  ];
  return `${written.join("\n")}\n`;
}

const brackets: Record<Exclude<Shape, "group">, [string, string]> = {
  box: ["[", "]"],
  endpoint: ["([", "])"],
  network: ["[[", "]]"],
  note: ["(", ")"],
};

function boxLines(box: Box, idOf: (id: string) => string, indent: string): string[] {
  const { id, shape, text, children } = box;
  if (shape !== "group") {
    const [open, close] = brackets[shape];
    return [`${indent}${idOf(id)}${open}${quoted(text)}${close}`];
  }
  return [
    // Titles of several lines would lie behind what is inside.
    `${indent}subgraph ${idOf(id)}[${quoted([text.join(" · ")])}]`,
    `${indent}  direction TB`,
    // What holds nothing could be taken for a box without a frame.
    ...(children.length === 0 ? [`${indent}  ${idOf(id)}_empty[" "]`] : []),
    ...children.flatMap((child) => boxLines(child, idOf, `${indent}  `)),
    `${indent}end`,
  ];
}

function classLines(boxes: Box[], idOf: (id: string) => string): string[] {
  return boxes.flatMap(({ id, mark, children }) => [
    ...(mark === undefined ? [] : [`  class ${idOf(id)} ${classOf(mark)}`]),
    ...classLines(children, idOf),
  ]);
}

/** Not every mark could be a name by itself. */
const classOf = (mark: string): string => `is_${mark.replaceAll("-", "_")}`;

/** Text with what Mermaid or a browser would read as something else spelled out. */
const quoted = (lines: string[]): string => `"${lines.map(escaped).join("<br/>")}"`;

const escaped = (text: string): string =>
  visibleText(text)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[#&<>"`*_\\[\]{}|~]/g, (char) => `#${char.charCodeAt(0)};`)
    // A list, to the reader of Markdown inside Mermaid.
    .replace(/^([-+]|\d+[.)]) /, "$1#160;");

const reserved = /^(end|graph|flowchart|subgraph|style|class|classDef|click|linkStyle|default|direction)$/i;

/** Ids of letters, digits and lines below; where two become the same, the later one is numbered. */
function idsOf(boxes: Box[]): Map<string, string> {
  const taken = new Set<string>();
  const flat = (all: Box[]): Box[] => all.flatMap((box) => [box, ...flat(box.children)]);
  return new Map(
    flat(boxes).map(({ id }) => {
      const plain = id.replaceAll(/[^A-Za-z0-9]+/g, "_").replace(/^(?=\d|$)/, "n");
      const base = reserved.test(plain) ? `${plain}_` : plain;
      let unique = base;
      for (let count = 2; taken.has(unique); count += 1) unique = `${base}_${count}`;
      taken.add(unique);
      return [id, unique];
    }),
  );
}
