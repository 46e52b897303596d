import { foldNetwork, foldTopology } from "./fold.ts";
import type { Diagram, Format } from "./model.ts";
import { writeD2 } from "./sketch/d2.ts";
import { writeMermaid } from "./sketch/mermaid.ts";
import { sketchNetwork } from "./sketch/sketch-network.ts";
import { sketchSteps } from "./sketch/sketch-steps.ts";
import { sketchTopology } from "./sketch/sketch-topology.ts";
import type { Sketch } from "./sketch/sketch.ts";
import { writeSvg, type Drawing } from "./svg/canvas.ts";
import { drawNetwork } from "./svg/draw-network.ts";
import { drawSteps } from "./svg/draw-steps.ts";
import { drawTopology } from "./svg/draw-topology.ts";

/** The diagram as a file of this format. The same diagram is always the same text. */
export async function writeDiagram(diagram: Diagram, format: Format): Promise<string> {
  if (format === "svg") return writeSvg(diagram, await draw(diagram));
  if (format === "mermaid") return writeMermaid(sketch(diagram));
  if (format === "d2") return writeD2(sketch(diagram));
  return `${JSON.stringify({ v: 1, type: "graph", ...diagram }, null, 2)}\n`;
}

function draw(diagram: Diagram): Drawing | Promise<Drawing> {
  if (diagram.view === "topology") return drawTopology(diagram);
  return diagram.view === "network" ? drawNetwork(diagram) : drawSteps(diagram);
}

function sketch(diagram: Diagram): Sketch {
  if (diagram.view === "topology") return sketchTopology(foldTopology(diagram));
  return diagram.view === "network" ? sketchNetwork(foldNetwork(diagram)) : sketchSteps(diagram);
}
