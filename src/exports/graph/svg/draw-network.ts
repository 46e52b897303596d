import { groupBy, type XmlPiece } from "../../../lib/index.ts";
import { foldNetwork, type Counted } from "../fold.ts";
import { marks, markText } from "../marks.ts";
import type { MachineNic, Network, NetworkDiagram, NetworkMachine } from "../model.ts";
import { networkLines, roleText, wireText } from "../texts.ts";
import { contentOf } from "../titles.ts";
import { box, circle, drawHeading, fonts, hint, moved, path, text, toneOf, type Drawing } from "./canvas.ts";
import { pageWidth } from "./draw-topology.ts";
import { widthOf } from "./measure.ts";

/**
 * Networks as columns, each with a wire that runs down; machines as rows, with a dot on every wire they are plugged into.
 * So fifty machines are as easy to follow as three.
 */
export function drawNetwork(diagram: NetworkDiagram): Drawing {
  const folded = foldNetwork(diagram);
  const rows = rowsOf(folded);
  const lanes = lanesFor(folded.networks, rows);
  const width = Math.max(pageWidth, lanes.width);
  const heading = drawHeading(diagram, contentOf(diagram), width);
  const headHeight = 18 + 17 * Math.max(1, ...folded.networks.map((each) => networkLines(each).length + 1));
  const drawn: (XmlPiece | undefined)[] = [];
  let y = headHeight + 14;
  for (const row of rows) {
    drawn.push(moved(0, y, drawRow(row, lanes, width)));
    y += rowHeights[row.kind];
  }
  const heads = folded.networks.flatMap((network) => {
    const lane = lanes.byNetwork.get(network.id);
    return lane ? [moved(lane.x, 0, drawNetworkHead(network, lane.width, headHeight))] : [];
  });
  const wires = [...lanes.byNetwork.values()].map(({ x }) =>
    path(
      [
        [x + dotAt, headHeight],
        [x + dotAt, y],
      ],
      "wire bus",
    ),
  );
  const below = [...wires, ...heads, ...drawn].filter((piece) => piece !== undefined);
  const moving = moved(0, heading.height, below);
  return { pieces: [...heading.pieces, ...(moving ? [moving] : [])], width, height: heading.height + y };
}

/** Where the wire of a lane runs, counted from its left edge. */
const dotAt = 16;
const laneGap = 14;

type Row =
  | { kind: "heading"; text: string; detail: string }
  | { kind: "shared"; name: string; cluster: string; network: string; address: string }
  | { kind: "machine"; machine: NetworkMachine & Counted };

const rowHeights: Record<Row["kind"], number> = { heading: 36, shared: 26, machine: 26 };

/** First what belongs to no machine, then the machines by cluster and host. */
function rowsOf({ networks, machines, shown }: NetworkDiagram): Row[] {
  return shown.flatMap((cluster): Row[] => {
    const own = machines.filter((machine) => machine.cluster === cluster);
    const shared = networks.flatMap((network) =>
      network.shared
        .filter((each) => each.cluster === cluster)
        .map(({ name, address, to }): Row => ({
          ...{ kind: "shared", name, cluster, network: network.id },
          address: to === undefined ? address : `${address} to ${to}`,
        })),
    );
    const hosts = [...groupBy(own, ({ host }) => host)].flatMap(([host, there]): Row[] => [
      { kind: "heading", text: host, detail: shown.length > 1 ? cluster : "" },
      ...there.map((machine): Row => ({ kind: "machine", machine })),
    ]);
    const head: Row[] =
      shared.length === 0
        ? []
        : [{ kind: "heading", text: "Shared", detail: shown.length > 1 ? cluster : "" }];
    return [...head, ...shared, ...hosts];
  });
}

interface Lanes {
  byNetwork: Map<string, { x: number; width: number }>;
  width: number;
  /** There is room for MAC addresses beside the others. */
  hasMacs: boolean;
}

/** Names on the left, as wide as the longest; then one lane per network. */
function lanesFor(networks: Network[], rows: Row[]): Lanes {
  const names = rows.map((row) => {
    if (row.kind === "machine") return nameWidth(row.machine);
    return row.kind === "shared" ? widthOf(row.name, fonts.strong) : 0;
  });
  const left = Math.max(120, ...names) + 30;
  const widths = (hasMacs: boolean) =>
    networks.map((network) => ({ id: network.id, width: laneWidth(network, rows, hasMacs) }));
  const sumOf = (lanes: { width: number }[]): number =>
    lanes.reduce((total, each) => total + each.width + laneGap, -laneGap);
  const hasMacs = left + sumOf(widths(true)) <= pageWidth;
  const natural = widths(hasMacs);
  const sum = sumOf(natural);
  // What is left of the page is shared out, within reason.
  const more = Math.min(120, Math.max(0, (pageWidth - left - sum) / Math.max(1, networks.length)));
  let x = left;
  const byNetwork = new Map<string, { x: number; width: number }>();
  for (const { id, width } of natural) {
    byNetwork.set(id, { x, width: width + more });
    x += width + more + laneGap;
  }
  return { byNetwork, width: x - laneGap, hasMacs };
}

const nameWidth = (machine: NetworkMachine & Counted): number =>
  16 + widthOf(machine.name, fonts.strong) + 12 + widthOf(besideName(machine), fonts.small);

/** The mark says more than the role, and there is room for one. */
const besideName = (machine: NetworkMachine & Counted): string =>
  machine.mark === undefined ? roleText(machine) : markText(machine.mark);

const nicText = ({ nic, address, bond, mac }: MachineNic, hasMacs: boolean): string =>
  [
    ...(address === undefined ? [] : [address]),
    ...(nic > 1 ? [`NIC ${nic}`] : []),
    ...(bond === undefined ? [] : ["bond"]),
    ...(hasMacs && mac !== undefined ? [mac] : []),
  ].join(" · ");

function laneWidth(network: Network, rows: Row[], hasMacs: boolean): number {
  const labels = rows.map((row) => {
    if (row.kind === "shared") return row.network === network.id ? widthOf(row.address, fonts.mono) : 0;
    if (row.kind === "heading") return 0;
    const here = row.machine.nics.filter((nic) => nic.network === network.id);
    return widthOf(labelOf(here, hasMacs), fonts.mono);
  });
  const lines = networkLines(network).map((line) => widthOf(line, fonts.mono));
  return Math.max(
    dotAt + 14 + Math.max(0, ...labels),
    28 + Math.max(widthOf(wireText(network), fonts.name), ...lines),
  );
}

/** Two NICs in one network share a dot. */
const labelOf = (nics: MachineNic[], hasMacs: boolean): string =>
  nics.map((nic) => nicText(nic, hasMacs)).join(", ");

const drawNetworkHead = (network: Network, width: number, height: number): XmlPiece[] => [
  box(0, 0, width, height, "bar"),
  text(14, 23, wireText(network), "name"),
  ...networkLines(network).map((line, index) => text(14, 41 + index * 17, line, "mono")),
];

function drawRow(row: Row, lanes: Lanes, width: number): XmlPiece[] {
  if (row.kind === "heading") {
    return [
      text(0, 26, row.text, "small strong"),
      text(widthOf(row.text, fonts.strong) + 6, 26, row.detail, "small dim"),
      path(
        [
          [0, 33],
          [width, 33],
        ],
        "wire rule",
      ),
    ];
  }
  if (row.kind === "shared") {
    const lane = lanes.byNetwork.get(row.network);
    const dot = lane
      ? [box(lane.x + dotAt - 5, 8, 10, 10, "accent", 2), ...dotLabel(lane.x, row.address)]
      : [];
    return [text(16, 17, row.name, "strong"), ...dot];
  }
  return drawMachine(row.machine, lanes);
}

function drawMachine(machine: NetworkMachine & Counted, lanes: Lanes): XmlPiece[] {
  const { mark, nics, name, role } = machine;
  const byNetwork = [...groupBy(nics, ({ network }) => network)];
  const dots = byNetwork.flatMap(([network, here]) => {
    const lane = lanes.byNetwork.get(network);
    return lane ? [{ x: lane.x, label: labelOf(here, lanes.hasMacs) }] : [];
  });
  const beside = besideName(machine);
  const nameEnd = 16 + widthOf(name, fonts.strong);
  const absent = mark !== undefined && marks[mark].isAbsent ? " absent" : "";
  return [
    ...dots.slice(-1).map(({ x }) =>
      path(
        [
          [nameWidth(machine) + 8, 13],
          [x + dotAt, 13],
        ],
        `wire rule${absent}`,
      ),
    ),
    circle(6, 13, 4, role === "control-plane" ? "accent" : "worker"),
    text(16, 17, name, "strong"),
    text(nameEnd + 12, 17, beside, `small ${mark === undefined ? "dim" : toneOf(mark)}`),
    ...dots.flatMap(({ x, label }) => [
      circle(x + dotAt, 13, 5, role === "control-plane" ? "accent" : "worker"),
      ...dotLabel(x, label),
    ]),
    ...[hintOf(machine)].filter((said) => said !== "").map(hint),
  ];
}

/** What there is no room for. */
const hintOf = ({ name, note, nics }: NetworkMachine): string => {
  const bonds = nics.flatMap(({ nic, bond }) =>
    bond === undefined ? [] : [`NIC ${nic} in a bond, ${bond}`],
  );
  const said = [...(note === undefined ? [] : [note]), ...bonds];
  return said.length === 0 ? "" : `${name}: ${said.join("; ")}`;
};

/** On a ground of its own, where lines pass behind it. */
const dotLabel = (x: number, label: string): XmlPiece[] => [
  box(x + dotAt + 9, 4, widthOf(label, fonts.mono) + 8, 18, "ground", 3),
  text(x + dotAt + 13, 17, label, "mono"),
];
