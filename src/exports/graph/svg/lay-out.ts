export interface LaidOut {
  boxes: { id: string; x: number; y: number }[];
  arrows: [number, number][][];
  width: number;
  height: number;
}

interface Sized {
  id: string;
  width: number;
  height: number;
}

/**
 * Boxes in levels, from top to bottom, with as few crossings as can be found. Loaded here alone: nothing else needs a
 * layout of graphs, and starting the program must not get slower by it.
 */
export async function layOut(boxes: Sized[], arrows: { from: string; to: string }[]): Promise<LaidOut> {
  const { Graph, layout } = await import("@dagrejs/dagre");
  const graph = new Graph();
  graph.setGraph({ rankdir: "TB", nodesep: 18, ranksep: 38, edgesep: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  for (const { from, to } of arrows) graph.setEdge(from, to);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    boxes: boxes.map((box) => {
      const { x, y } = graph.node(box.id) as { x: number; y: number };
      return { id: box.id, x: x - box.width / 2, y: y - box.height / 2 };
    }),
    arrows: arrows.map(({ from, to }) => {
      const { points } = graph.edge(from, to) as { points: { x: number; y: number }[] };
      return upright(points, graph.node(from) as Placed, graph.node(to) as Placed);
    }),
    width,
    height,
  };
}

interface Placed {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Arrows leave a box at its bottom and reach the next at its top, not at a corner. */
function upright(points: { x: number; y: number }[], from: Placed, to: Placed): [number, number][] {
  // Every other point lies between two levels, where lines bend by themselves.
  const between = points
    .slice(1, -1)
    .filter((_, index) => index % 2 === 1)
    .map(({ x, y }): [number, number] => [x, y]);
  const within = (x: number, box: Placed): number =>
    Math.min(Math.max(x, box.x - box.width / 2 + inset), box.x + box.width / 2 - inset);
  const straight = between.length === 0 ? commonX(from, to) : undefined;
  if (straight !== undefined) {
    return [
      [straight, from.y + from.height / 2],
      [straight, to.y - to.height / 2],
    ];
  }
  const [next = to.x] = between[0] ?? [];
  const [last = from.x] = between.at(-1) ?? [];
  return [
    [within(next, from), from.y + from.height / 2],
    ...between,
    [within(last, to), to.y - to.height / 2],
  ];
}

/** Where a line straight down touches both; undefined when they are too far apart. */
function commonX(a: Placed, b: Placed): number | undefined {
  const left = Math.max(a.x - a.width / 2, b.x - b.width / 2) + inset;
  const right = Math.min(a.x + a.width / 2, b.x + b.width / 2) - inset;
  return left > right ? undefined : Math.min(Math.max((a.x + b.x) / 2, left), right);
}

const inset = 18;
