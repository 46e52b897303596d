import { drawLines, hint, line, type Canvas, type Line, type Span } from "./text/line.ts";
import { style, type Glyphs, type Role } from "./text/style.ts";
import { layOut, type Column } from "./text/table.ts";
import { wrapText } from "./text/width.ts";
import { formatCount } from "../../views/index.ts";

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
  cpuPercent?: number | undefined;
  memoryPercent?: number | undefined;
  know: string;
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
  // Of all texts the reason gives way first: it stands in full where doctor and --json tell it.
  const columns: Column[] = [{ gap: 1 }, { gap: 2, leastWidth: 8 }, { gap: 2 }, { gap: 2 }, {}];
  const cells = (row: AddonRow) => [row.name, row.state, row.version || "-", row.owner, row.know];
  return renderTable(["ADD-ON", "STATE", "VERSION", "OWNER", "KNOW"], columns, rows, cells, canvas);
}

function renderClusters(rows: ClusterRow[], canvas: Canvas): string {
  const columns: Column[] = [
    { gap: 1 },
    { gap: 3 },
    { gap: 2, dropFirst: 3 },
    { gap: 4, dropFirst: 1 },
    { dropFirst: 2, leastSeen: 40 },
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

/** `toldBy`: who measured CPU and memory. */
function renderNodes(rows: NodeRow[], toldBy: string[], canvas: Canvas): string {
  const columns: Column[] = [
    { gap: 1 },
    { gap: 2, leastWidth: 8 },
    { gap: 2, dropFirst: 5 },
    { gap: 2, dropFirst: 4 },
    { gap: 2, align: "right", dropFirst: 1 },
    { gap: 2, align: "right", dropFirst: 2 },
    { gap: 2, align: "right", dropFirst: 3 },
    {},
  ];
  const percent = (value: number | undefined) => (value === undefined ? "-" : `${Math.round(value)}%`);
  const cells = (row: NodeRow) => [
    row.name,
    row.state,
    row.host || "-",
    row.address || "-",
    row.vmid === undefined ? "-" : String(row.vmid),
    percent(row.cpuPercent),
    percent(row.memoryPercent),
    row.know,
  ];
  const titles = ["NODE", "STATE", "HOST", "ADDRESS", "VMID", "CPU", "MEM", "KNOW"];
  const table = renderTable(titles, columns, rows, cells, canvas);
  const source = `CPU and MEM: of what the node has, as ${toldBy.join(" and ")} measures it now`;
  // Where the columns have no room, nor has their source.
  return toldBy.length === 0 || !table.includes(" MEM")
    ? table
    : table +
        drawLines(
          wrapText(source, canvas.columns).map((part) => line(["dim", part])),
          canvas,
        );
}

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
    const spans: Span[] = [[role, glyphs[glyph]], " ", ["strong", name.slice(2)], others.join("")];
    lines.push(line(...spans));
  });
  return drawLines(lines, canvas);
}
