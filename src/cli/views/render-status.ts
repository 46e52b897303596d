import { drawLines, hint, line, type Canvas, type Line, type Span } from "./text/line.ts";
import { style, type Glyphs, type Role } from "./text/style.ts";
import { layOut, type Column } from "./text/table.ts";
import { widthOf, wrapText } from "./text/width.ts";
import { formatCount, listNames } from "../../views/index.ts";

/** How a row stands: problems come first, and what differs from its file never looks plainly green. */
export type RowState = "bad" | "warn" | "run" | "differs" | "ok";

export interface ClusterRow {
  name: string;
  mark: RowState;
  /** Ready, Deploying, Upgrading, Degraded, Unreachable, Stopped, "Ready, differs". */
  state: string;
  ready: number;
  total: number;
  /** `Talos 1.13.9  K8s 1.36.3`. */
  version: string;
  know: string;
}

export interface NodeRow {
  name: string;
  mark: RowState;
  state: string;
  host: string;
  address: string;
  /** Absent values are shown as `-`; `know` says why. */
  vmid?: number | undefined;
  /** One that runs uses something, whether or not anybody measures it. */
  isRunning?: boolean | undefined;
  usage?: UsageCells | undefined;
  /** As the node says it: `Talos 1.13.9  K8s 1.36.3`. */
  version?: string | undefined;
  know: string;
}

/** What a machine uses of what it has, as far as it is measured. */
export interface UsageCells {
  cpuPercent?: number | undefined;
  cores: number;
  memoryUsedMiB?: number | undefined;
  memoryMiB: number;
}

export interface AddonRow {
  name: string;
  mark: RowState;
  state: string;
  version: string;
  /** slipway or gitops. */
  owner: string;
  know: string;
}

/** Of a file, a server or an authority; the first to end comes first. */
export interface CertificateRow {
  name: string;
  daysLeft: number;
}

/** Less width than this is none for a text. */
const leastWords = 20;

const order: RowState[] = ["bad", "warn", "run", "differs", "ok"];

const marks: Record<RowState, [Role, keyof Glyphs]> = {
  bad: ["bad", "failed"],
  warn: ["warn", "warning"],
  run: ["run", "running"],
  differs: ["warn", "hot"],
  ok: ["ok", "done"],
};

/** All clusters of the file, or one cluster's nodes and what runs on them. */
export function renderStatus(
  status:
    | { clusters: ClusterRow[] }
    | { nodes: NodeRow[]; toldBy?: string[]; addons?: AddonRow[]; certificates?: CertificateRow[] },
  canvas: Canvas,
): string {
  if ("clusters" in status) return renderClusters(status.clusters, canvas);
  const { nodes, toldBy = [], addons = [], certificates = [] } = status;
  const tables = [
    renderNodes(nodes, toldBy, canvas),
    ...(addons.length > 0 ? [renderAddons(addons, canvas)] : []),
    ...(certificates.length > 0 ? [renderCertificates(certificates, canvas)] : []),
  ];
  return tables.join("\n");
}

/** A quick look needs no more than those that end first. */
const mostCertificates = 4;

function renderCertificates(rows: CertificateRow[], canvas: Canvas): string {
  const shown = rows.slice(0, mostCertificates).map(({ name, daysLeft }) => `${name} ${leftText(daysLeft)}`);
  const rest = rows.length - shown.length;
  const text = rest > 0 ? `${shown.join(", ")}, and ${rest} later` : shown.join(", ");
  const isSoon = rows.some(({ daysLeft }) => daysLeft <= 30);
  return drawLines(hint(isSoon ? "soon" : "valid", text, canvas), canvas);
}

const leftText = (days: number): string =>
  days < 0 ? "has expired" : `for ${days} ${days === 1 ? "day" : "days"}`;

function renderAddons(rows: AddonRow[], canvas: Canvas): string {
  const columns: Column[] = [{ gap: 1 }, { gap: 2, leastWidth: 8 }, { gap: 2 }, { gap: 2 }, {}];
  const cells = (row: AddonRow) => [row.name, row.state, row.version || "-", row.owner, row.know];
  return renderTable(["ADD-ON", "STATE", "VERSION", "OWNER", "KNOW"], columns, rows, cells, canvas);
}

function renderClusters(rows: ClusterRow[], canvas: Canvas): string {
  const columns: Column[] = [
    { gap: 1 },
    { gap: 3 },
    { gap: 2 },
    { gap: 4, dropFirst: 1 },
    { leastSeen: leastWords },
  ];
  const cells = (row: ClusterRow) => [
    row.name,
    row.state,
    formatCount(row.ready, row.total),
    row.version,
    row.know,
  ];
  return renderTable(["CLUSTER", "STATE", "NODES", "VERSION", "KNOW"], columns, rows, cells, canvas);
}

/** How much of it is said: what a share is a share of, and versions beside what is worth knowing. */
interface NodesLayout {
  hasAmounts: boolean;
  hasVersions: boolean;
}

/** The fullest is taken that leaves no column out and wraps no text; the last one where none does. */
const layouts: NodesLayout[] = [
  { hasAmounts: true, hasVersions: true },
  { hasAmounts: true, hasVersions: false },
  { hasAmounts: false, hasVersions: false },
];

/** `toldBy`: who measured CPU and memory. */
function renderNodes(rows: NodeRow[], toldBy: string[], canvas: Canvas): string {
  const tables = layouts.map((layout) => ({ ...layout, text: nodesTable(rows, layout, canvas) }));
  const whole = tables.find(
    ({ text, hasVersions }) =>
      text.includes(" VMID") &&
      text.includes(" VERSION") === hasVersions &&
      text.trimEnd().split("\n").length === rows.length + 1,
  );
  const table = (whole ?? tables.at(-1))?.text ?? "";
  // Where the columns have no room, nor has their source.
  return table.includes(" MEM") ? table + drawLines(sourceLines(rows, toldBy, canvas), canvas) : table;
}

function nodesTable(rows: NodeRow[], { hasAmounts, hasVersions }: NodesLayout, canvas: Canvas): string {
  const columns: Column[] = [
    { gap: 1 },
    { gap: 2, leastWidth: 8 },
    { gap: 2, dropFirst: 5 },
    { gap: 2, dropFirst: 4 },
    { gap: 2, align: "right", dropFirst: 1 },
    { gap: 2, align: "right", dropFirst: 2 },
    { gap: 2, align: "right", dropFirst: 3 },
    { gap: 2, dropFirst: 0 },
    { leastSeen: leastWords },
  ];
  const cells = (row: NodeRow) => [
    row.name,
    row.state,
    row.host || "-",
    row.address || "-",
    row.vmid === undefined ? "-" : String(row.vmid),
    cpuText(row.usage, hasAmounts),
    memoryText(row.usage, hasAmounts),
    hasVersions ? (row.version ?? "-") : "",
    hasVersions ? row.know : row.know || (row.version ?? ""),
  ];
  const titles = [
    "NODE",
    "STATE",
    "HOST",
    "ADDRESS",
    "VMID",
    "CPU",
    "MEM",
    hasVersions ? "VERSION" : "",
    "KNOW",
  ];
  return renderTable(titles, columns, rows, cells, canvas);
}

function sourceLines(rows: NodeRow[], toldBy: string[], canvas: Canvas): Line[] {
  const untold = rows.filter(({ usage, isRunning }) => isRunning && !usage).map(({ name }) => name);
  const texts = [
    ...(toldBy.length > 0
      ? [`CPU and MEM: of what the node has, as ${toldBy.join(" and ")} measures it now`]
      : []),
    ...(untold.length > 0 ? [`CPU and MEM of ${listNames(untold)}: unknown, no hypervisor has told it`] : []),
  ];
  return texts.flatMap((text) => wrapText(text, canvas.columns).map((part) => line(["dim", part])));
}

function cpuText(usage: UsageCells | undefined, hasAmounts: boolean): string {
  if (usage?.cpuPercent === undefined) return "-";
  const share = `${Math.round(usage.cpuPercent)}%`;
  return hasAmounts ? `${share} of ${usage.cores}` : share;
}

function memoryText(usage: UsageCells | undefined, hasAmounts: boolean): string {
  if (usage?.memoryUsedMiB === undefined) return "-";
  const { memoryUsedMiB, memoryMiB } = usage;
  return hasAmounts
    ? `${gib(memoryUsedMiB)} of ${gib(memoryMiB)} GiB`
    : `${Math.round((memoryUsedMiB / memoryMiB) * 100)}%`;
}

/** One decimal where it says something. */
const gib = (mib: number): string => String(Number((mib / 1024).toFixed(1)));

function renderTable<Row extends { mark: RowState }>(
  titles: string[],
  columns: Column[],
  rows: Row[],
  cellsOf: (row: Row) => string[],
  canvas: Canvas,
): string {
  const { glyphs } = style(canvas);
  const sorted = rows.toSorted((a, b) => order.indexOf(a.mark) - order.indexOf(b.mark));
  // The glyph stands before the name, so the first title reaches over it.
  const body = sorted.map((row) => cellsOf(row).map((cell, index) => (index === 0 ? `  ${cell}` : cell)));
  const [head = [], ...laid] = layOut([titles, ...body], columns, canvas.columns);
  const lines: Line[] = [line(["dim", head.join("")])];
  laid.forEach((cells, index) => {
    const [role, glyph] = marks[sorted[index]?.mark ?? "ok"];
    const [name = "", ...others] = cells;
    const last = others.pop() ?? "";
    const indent = widthOf([name, ...others].join(""));
    const spans: Span[] = [[role, glyphs[glyph]], " ", ["strong", name.slice(2)], others.join("")];
    const [text, ...below] = textBeside(last, indent, canvas.columns);
    lines.push(line(...spans, text ?? ""), ...below.map((part) => line(part)));
  });
  return drawLines(lines, canvas);
}

/** A long text goes on below itself, so that no column vanishes beside it; without room for words, below its row. */
function textBeside(text: string, indent: number, columns: number): string[] {
  const room = columns - indent;
  if (widthOf(text) <= room) return [text];
  if (room < leastWords) return ["", ...wrapText(text, columns - 4).map((part) => `    ${part}`)];
  const [first = "", ...rest] = wrapText(text, room);
  return [first, ...rest.map((part) => " ".repeat(indent) + part)];
}
