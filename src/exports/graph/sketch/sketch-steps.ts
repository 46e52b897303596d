import { groupSteps, type StepGroup } from "../group-steps.ts";
import { markText } from "../marks.ts";
import type { StepsDiagram } from "../model.ts";
import { titleOf } from "../titles.ts";
import type { Box, Sketch } from "./sketch.ts";

export function sketchSteps(diagram: StepsDiagram): Sketch {
  const groups = groupSteps(diagram);
  return {
    title: titleOf(diagram),
    hasArrows: true,
    direction: "down",
    boxes: groups.map(stepBox),
    lines: groups.flatMap(({ id, after }) => after.map((from) => ({ from, to: id }))),
  };
}

function stepBox({ id, title, names, steps: [first] }: StepGroup): Box {
  return {
    id,
    shape: "box",
    text: [
      title,
      ...(names === "" ? [] : [names]),
      ...(first.mark === undefined || first.note === undefined ? [] : [markText(first.mark, first.note)]),
    ],
    children: [],
    mark: first.mark,
  };
}
