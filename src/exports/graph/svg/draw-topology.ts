import { element, type XmlPiece } from "../../../lib/index.ts";
import { foldTopology } from "../fold.ts";
import { marks, markText } from "../marks.ts";
import type { Mark, MarkedAddon, TopologyCluster, TopologyDiagram } from "../model.ts";
import { networkLines, rolesText, wireText } from "../texts.ts";
import { box, cardClass, fonts, moved, path, text, toneOf, type Drawing } from "./canvas.ts";
import { drawHosts } from "./draw-hosts.ts";
import { widthOf, wrap } from "./measure.ts";

/** As wide as a page of text: a README shows it without making it smaller. */
export const pageWidth = 860;

const betweenClusters = 40;

export function drawTopology(diagram: TopologyDiagram): Drawing {
  const { clusters } = foldTopology(diagram);
  const drawn = clusters.map(drawCluster);
  const width = Math.max(pageWidth, ...drawn.map((each) => each.width));
  const pieces: (XmlPiece | undefined)[] = [];
  let y = 0;
  for (const [index, each] of drawn.entries()) {
    if (index > 0) {
      pieces.push(
        path(
          [
            [0, y + betweenClusters / 2],
            [width, y + betweenClusters / 2],
          ],
          "wire rule",
        ),
      );
      y += betweenClusters;
    }
    pieces.push(moved(0, y, each.pieces));
    y += each.height;
  }
  return { pieces: pieces.filter((piece) => piece !== undefined), width, height: y };
}

/** From top to bottom: name, endpoint, hosts, the network they share, add-ons. */
function drawCluster(cluster: TopologyCluster): Drawing {
  const hosts = drawHosts(cluster, pageWidth);
  const width = Math.max(pageWidth, hosts.width);
  const pieces: (XmlPiece | undefined)[] = [];
  let y = 0;
  const put = (part: Drawing | undefined, gap: number): void => {
    if (!part) return;
    pieces.push(moved(0, y, part.pieces));
    y += part.height + gap;
  };
  put(drawHead(cluster, width), 14);
  const endpoint = drawEndpoint(cluster, width);
  put(endpoint, endpoint ? 28 : 0);
  if (endpoint) pieces.push(moved(0, y - 28, hosts.wires(28)));
  put(hosts, 12);
  put(drawWire(cluster, width), 12);
  put(drawAddons(cluster.addons, width), 12);
  return { pieces: pieces.filter((piece) => piece !== undefined), width, height: y - 12 };
}

function drawHead({ name, software, hosts, mark, note }: TopologyCluster, width: number): Drawing {
  const machines = hosts.flatMap((host) => host.machines).filter(({ mark: its }) => !isLeaving(its));
  const facts = [software, rolesText(machines)].filter((part) => part !== "").join(" · ");
  const nameWidth = widthOf(name, fonts.title);
  const isBeside = nameWidth + 24 + widthOf(facts, fonts.text) <= width;
  const said = mark === undefined ? [] : wrap(markText(mark, note), width, fonts.small, 3);
  const below = (isBeside ? 0 : 18) + 18;
  return {
    pieces: [
      text(0, 16, name, "title"),
      isBeside ? text(width, 15, facts, "dim", "end") : text(0, 34, facts, "dim"),
      ...said.map((line, index) =>
        text(0, below + 16 + index * 15, line, `small ${mark === undefined ? "dim" : toneOf(mark)}`),
      ),
    ],
    width,
    height: below + 4 + said.length * 15,
  };
}

const isLeaving = (mark: Mark | undefined): boolean => mark === "leftover" || mark === "remove";

function drawEndpoint({ vip, endpoint }: TopologyCluster, width: number): Drawing | undefined {
  if (endpoint === undefined) return undefined;
  const name = vip === undefined ? "Kubernetes API" : `VIP ${vip}`;
  const why = vip === undefined ? "" : "Kubernetes API, moves between control planes";
  return drawBar(name, [endpoint], why, width);
}

function drawWire({ network }: TopologyCluster, width: number): Drawing | undefined {
  return network && drawBar(wireText(network), networkLines(network), "", width);
}

/** A bar over the whole width: a name, and facts as far as there is room. */
function drawBar(name: string, facts: string[], why: string, width: number): Drawing {
  const pieces = [text(14, 22, name, "strong")];
  let x = 14 + widthOf(name, fonts.strong) + 20;
  let y = 22;
  for (const [index, fact] of [...facts, ...(why === "" ? [] : [why])].entries()) {
    const isWhy = index >= facts.length;
    const wide = widthOf(fact, isWhy ? fonts.text : fonts.mono);
    if (x + wide > width - 14) [x, y] = [14, y + 18];
    pieces.push(text(x, y, fact, isWhy ? "dim" : "mono"));
    x += wide + 20;
  }
  return { pieces: [box(0, 0, width, y + 12, "bar"), ...pieces], width, height: y + 12 };
}

/** Each add-on as a small box, as many in a line as fit. */
function drawAddons(addons: MarkedAddon[], width: number): Drawing | undefined {
  if (addons.length === 0) return undefined;
  const label = "Add-ons";
  const start = widthOf(label, fonts.small) + 14;
  const pieces: XmlPiece[] = [text(0, 17, label, "small dim")];
  let [x, y] = [start, 0];
  for (const { name, mark } of addons) {
    const shown = addonText(name, mark);
    const wide = widthOf(shown, fonts.text) + 20;
    if (x > start && x + wide > width) [x, y] = [start, y + 32];
    const tone = mark === undefined ? "" : toneOf(mark);
    pieces.push(box(x, y, wide, 26, cardClass(mark), 6), text(x + 10, y + 17, shown, tone));
    x += wide + 8;
  }
  return { pieces: [element("g", {}, pieces)], width, height: y + 26 };
}

/** What is as it should be needs no word beside its sign. */
function addonText(name: string, mark: Mark | undefined): string {
  if (mark === undefined) return name;
  const { sign, word, tone } = marks[mark];
  return `${sign} ${name}${tone === "quiet" || tone === "good" ? "" : ` · ${word}`}`;
}
