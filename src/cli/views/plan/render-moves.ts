import { blank, drawLines, hint, line, type Canvas, type Line } from "../text/line.ts";
import { formatEstimate, formatNumber } from "../../../views/index.ts";
import { style } from "../text/style.ts";
import { layOut } from "../text/table.ts";
import { wrapText } from "../text/width.ts";

/** Machines that go to other hosts, in the order in which they go. */
export interface MovesInput {
  verb: "evacuate" | "return";
  host: string;
  moves: {
    /** With its cluster. */
    node: string;
    from: string;
    to: string;
    isControlPlane: boolean;
    /** `restarts`: off while its disks are copied; `resumes`: away since a run that was cut. */
    way: "live" | "off" | "restarts" | "resumes";
    isHaManaged: boolean;
    disksGiB: number;
    usualMs: number;
  }[];
  staying: { name: string; id?: number | undefined; kind: string; isRunning: boolean }[];
  warnings: string[];
}

/** Which machine goes where and how, what to know before, and what stays. */
export function renderMoves(input: MovesInput, canvas: Canvas): string {
  const { verb, host, warnings, moves } = input;
  return drawLines(
    [
      { left: [["strong", host], `   ${verb}`] },
      blank,
      ...tableLines(input, canvas),
      blank,
      ...warnings.flatMap((text) => warningLines(text, canvas)),
      ...stayingLines(input, canvas),
      ...wrapText(summaryText(moves), canvas.columns).map((part) => line(["strong", part])),
    ],
    canvas,
  );
}

function tableLines({ moves }: MovesInput, canvas: Canvas): Line[] {
  const { glyphs } = style(canvas);
  const rows = moves.map((move) => [
    move.node,
    `${move.from} ${glyphs.arrow} ${move.to}`,
    howText(move, canvas.columns < 60),
    disksText(move.disksGiB),
    `~${formatEstimate(move.usualMs)}`,
  ]);
  const columns = [{}, {}, {}, { dropFirst: 2 }, { align: "right" as const, dropFirst: 1 }];
  return layOut(rows, columns, canvas.columns - 2).map(([first = "", ...rest]) =>
    line("  ", ["strong", first], ...rest),
  );
}

const ways = { live: "live", off: "switched off", restarts: "off meanwhile", resumes: "goes on" } as const;

const howText = ({ way, isHaManaged }: MovesInput["moves"][number], isNarrow: boolean): string =>
  `${ways[way]}${isHaManaged ? (isNarrow ? ", by HA" : ", by high availability") : ""}`;

/** A seed alone is not worth a word. */
const disksText = (disksGiB: number): string => (disksGiB < 0.1 ? "" : `copies ${sizeText(disksGiB)}`);

const sizeText = (sizeGiB: number): string =>
  sizeGiB < 0.1 ? "less than 1 GiB" : `${Math.max(1, Math.round(sizeGiB))} GiB`;

/** Something to know before, behind its sign. */
export function warningLines(text: string, canvas: Canvas): Line[] {
  const { glyphs } = style(canvas);
  return wrapText(text, canvas.columns - 2).map((part, index) =>
    line(["warn", index === 0 ? glyphs.warning : " "], " ", part),
  );
}

function stayingLines({ staying }: MovesInput, canvas: Canvas): Line[] {
  const names = staying.map(({ kind, name, id, isRunning }) => {
    const what = kind === "machine" ? name : `${kind} ${name}`;
    return `${what}${id === undefined ? "" : ` (${id})`}${isRunning ? "" : ", off"}`;
  });
  return names.length === 0 ? [] : hint("stays", names.join("; "), canvas);
}

function summaryText(moves: MovesInput["moves"]): string {
  const count = formatNumber(moves.length, "machine");
  const live = moves.filter(({ way }) => way === "live").length;
  const copied = moves.filter(({ way }) => way === "restarts" || way === "resumes");
  const copiedGiB = copied.reduce((sum, { disksGiB }) => sum + disksGiB, 0);
  const parts = [
    live === 0 ? "" : `${live === 1 ? "it stands" : "each stands"} still for less than a second`,
    copied.length === 0
      ? ""
      : `${copied.length === 1 ? "its node is" : "each node is"} drained, and off for as long as its disks take (${sizeText(copiedGiB)})`,
    moves.some(({ isControlPlane }) => isControlPlane) ? "control planes one at a time" : "",
  ].filter((part) => part !== "");
  return `${count} ${moves.length === 1 ? "moves" : "move"}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}.`;
}
