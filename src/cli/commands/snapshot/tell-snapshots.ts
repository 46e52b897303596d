import type { SnapshotReport } from "../../../operations/index.ts";
import type { MachineSnapshot } from "../../../plan/index.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { style } from "../../views/index.ts";

/** The last line: what was done, to which nodes, and under which name. */
export function tellSnapshots(
  shell: Shell,
  options: CommonOptions,
  done: "taken" | "removed" | "rolled back",
  { name, nodes }: SnapshotReport,
): void {
  if (options.json) {
    shell.lines.tell({ type: "snapshots", done, name, nodes });
    return;
  }
  const { glyphs, paint } = style(shell.out);
  const names = nodes.map(({ cluster, node }) => `${cluster}/${node}`).join(", ");
  const words = {
    taken: `Snapshot ${name} taken of ${names}`,
    removed: `Snapshot ${name} removed from ${names}`,
    "rolled back": `${names} rolled back to ${name}, and started`,
  };
  shell.out.write(`${paint("ok", glyphs.done)} ${words[done]}\n`);
  if (done !== "taken") return;
  const clusters = [...new Set(nodes.map(({ cluster }) => cluster))];
  for (const cluster of clusters) shell.out.write(`  back  slipway snapshot rollback ${cluster} ${name}\n`);
}

/** Pure. Oldest first within each node, as they were taken. */
export function snapshotTable(snapshots: MachineSnapshot[]): string {
  if (snapshots.length === 0) return "No snapshots. Take some with: slipway snapshot CLUSTER\n";
  const rows = [
    ["NODE", "SNAPSHOT", "TAKEN (UTC)", "BY"],
    ...snapshots.map(({ cluster, node, name, takenAt, isOurs }) => [
      `${cluster}/${node}`,
      name,
      takenAt.slice(0, 19).replace("T", " "),
      isOurs ? "Slipway" : "others",
    ]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]): string =>
    row.map((cell, column) => (column < 3 ? cell.padEnd(widths[column] ?? 0) : cell)).join("   ");
  return `${rows.map(line).join("\n")}\n`;
}
