import type { Mark } from "../model.ts";

/** A picture as languages for diagrams know it: boxes in boxes, and lines between them. Where they stand is up to the program. */
export interface Sketch {
  title: string;
  direction: "down" | "right";
  boxes: Box[];
  lines: Line[];
  /** Lines lead from one thing to the next, instead of joining two. */
  hasArrows: boolean;
}

export type Shape = "group" | "box" | "endpoint" | "network" | "note";

export interface Box {
  /** Unique in its sketch. */
  id: string;
  shape: Shape;
  /** The first line is its name. */
  text: string[];
  children: Box[];
  mark?: Mark | undefined;
}

export interface Line {
  from: string;
  to: string;
  text?: string | undefined;
}

/** Marks that occur, each once, in the order of the sketch. */
export function marksIn(boxes: Box[]): Mark[] {
  const found = boxes.flatMap(({ mark, children }) => [
    ...(mark === undefined ? [] : [mark]),
    ...marksIn(children),
  ]);
  return [...new Set(found)];
}
