import type { XmlPiece } from "../../../lib/index.ts";
import { markText } from "../marks.ts";
import type { TopologyCluster, TopologyHost } from "../model.ts";
import { box, cardClass, fonts, moved, path, text, toneOf, type Drawing } from "./canvas.ts";
import { cardWidth, drawCard, type Card } from "./draw-card.ts";
import { widthOf, wrap } from "./measure.ts";

/** Hosts side by side, and lines to those with control planes from whatever stands above. */
export interface DrawnHosts extends Drawing {
  wires(gap: number): XmlPiece[];
}

const gap = 14;
const padding = 12;
const narrowest = 180;
/** Many machines move closer together. */
const manyMachines = 24;

/** All hosts have the same columns, so that machines stand in line across them. */
interface Grid {
  /** Between one row of cards and the next. */
  cardGap: number;
  hostsInRow: number;
  cardColumns: number;
  cardWidth: number;
  hostWidth: number;
}

interface DrawnHost {
  host: TopologyHost;
  cards: Card[];
  head: Drawing;
}

export function drawHosts({ hosts, endpoint }: TopologyCluster, pageWidth: number): DrawnHosts {
  const ordered = controlPlanesFirst(hosts);
  const grid = gridFor(ordered, pageWidth);
  const drawn = ordered.map((host) => ({
    host,
    cards: host.machines.map((machine) => drawCard(machine, grid.cardWidth)),
    head: drawHead(host, grid.hostWidth - 2 * padding),
  }));
  const pieces: (XmlPiece | undefined)[] = [];
  const tops: [number, number][] = [];
  let y = 0;
  for (let start = 0; start < drawn.length; start += grid.hostsInRow) {
    const row = drawn.slice(start, start + grid.hostsInRow);
    const { height, headHeight, rowHeights } = measureRow(row, grid);
    for (const [index, each] of row.entries()) {
      const x = index * (grid.hostWidth + gap);
      pieces.push(moved(x, y, drawHost(each, grid, height, headHeight, rowHeights)));
      if (endpoint !== undefined && hasControlPlane(each.host)) tops.push([x, y]);
    }
    y += height + gap;
  }
  return {
    pieces: pieces.filter((piece) => piece !== undefined),
    width: grid.hostsInRow * (grid.hostWidth + gap) - gap,
    height: Math.max(0, y - gap),
    wires: (above) => tops.map(([x, top]) => wireTo(x, top, grid, above)),
  };
}

const hasControlPlane = ({ machines }: TopologyHost): boolean =>
  machines.some(({ role, mark }) => role === "control-plane" && mark !== "leftover");

const controlPlanesFirst = (hosts: TopologyHost[]): TopologyHost[] =>
  hosts.toSorted((a, b) => Number(hasControlPlane(b)) - Number(hasControlPlane(a)));

function gridFor(hosts: TopologyHost[], pageWidth: number): Grid {
  const wanted = hosts.flatMap((host) => host.machines.map(cardWidth));
  const heads = hosts.map(({ name, software }) => headWidth(name, software));
  const least = Math.ceil(Math.max(narrowest, ...wanted, ...heads));
  const fits = Math.max(1, Math.floor((pageWidth + gap) / (least + 2 * padding + gap)));
  const hostsInRow = Math.max(1, Math.min(fits, hosts.length));
  const room = (pageWidth + gap) / hostsInRow - gap - 2 * padding;
  const most = Math.max(1, ...hosts.map(({ machines }) => machines.length));
  const cardColumns = Math.max(1, Math.min(Math.floor((room + gap) / (least + gap)), most));
  const width = Math.max(least, Math.floor((room + gap) / cardColumns - gap));
  return {
    cardGap: wanted.length > manyMachines ? 8 : gap,
    hostsInRow,
    cardColumns,
    cardWidth: width,
    hostWidth: cardColumns * (width + gap) - gap + 2 * padding,
  };
}

const headWidth = (name: string, software: string): number =>
  widthOf(name, fonts.name) + 14 + widthOf(software, fonts.small);

function drawHead({ name, software, mark, note }: TopologyHost, width: number): Drawing {
  const said = mark === undefined ? [] : wrap(markText(mark, note), width, fonts.small, 3);
  return {
    pieces: [
      text(0, 14, name, "name"),
      text(width, 14, software, "small dim", "end"),
      ...said.map((line, index) =>
        text(0, 32 + index * 15, line, `small ${mark === undefined ? "dim" : toneOf(mark)}`),
      ),
    ],
    width,
    height: 26 + said.length * 15,
  };
}

/** Machines of hosts side by side stand in line. */
function measureRow(row: DrawnHost[], { cardColumns, cardGap }: Grid) {
  const headHeight = Math.max(...row.map(({ head }) => head.height));
  const lines = Math.max(1, ...row.map(({ cards }) => Math.ceil(cards.length / cardColumns)));
  const rowHeights = Array.from({ length: lines }, (_, line) =>
    Math.max(
      24,
      ...row.flatMap(({ cards }) =>
        cards.slice(line * cardColumns, (line + 1) * cardColumns).map((card) => card.height),
      ),
    ),
  );
  const inner = rowHeights.reduce((sum, height) => sum + height + cardGap, 0) - cardGap;
  return { height: padding + headHeight + inner + padding, headHeight, rowHeights };
}

function drawHost(
  { host, cards, head }: DrawnHost,
  grid: Grid,
  height: number,
  headHeight: number,
  rowHeights: number[],
): XmlPiece[] {
  let y = padding + headHeight;
  const placed = rowHeights.flatMap((rowHeight, line) => {
    const inRow = cards.slice(line * grid.cardColumns, (line + 1) * grid.cardColumns);
    const drawn = inRow.map((card, column) =>
      moved(padding + column * (grid.cardWidth + gap), y, card.asHighAs(rowHeight)),
    );
    y += rowHeight + grid.cardGap;
    return drawn.filter((piece) => piece !== undefined);
  });
  const empty =
    cards.length === 0 ? [text(padding, padding + headHeight + 14, "no machine", "small dim")] : [];
  const frame = host.mark === undefined ? "host" : cardClass(host.mark).replace(/^card$/, "host");
  const headPiece = moved(padding, padding, head.pieces);
  return [
    box(0, 0, grid.hostWidth, height, frame, 10),
    ...(headPiece ? [headPiece] : []),
    ...placed,
    ...empty,
  ];
}

/** Straight down to a host of the first row; to others beside those before them. */
function wireTo(x: number, top: number, { hostWidth }: Grid, above: number): XmlPiece {
  const middle = x + hostWidth / 2;
  if (top === 0)
    return path(
      [
        [middle, 0],
        [middle, above],
      ],
      "wire",
    );
  const beside = x > 0 ? x - gap / 2 : x + hostWidth + gap / 2;
  const turn = above + top - gap / 2;
  return path(
    [
      [beside, 0],
      [beside, turn],
      [middle, turn],
      [middle, above + top],
    ],
    "wire",
  );
}
