import type { MachineSnapshot } from "../../../plan/index.ts";
import { drawLines, hint, marked, sentence, wholeLine, type Canvas } from "../text/line.ts";
import { style } from "../text/style.ts";
import { layOut } from "../text/table.ts";

export interface ShownSnapshots {
  done: "taken" | "removed" | "rolled back";
  name: string;
  nodes: { cluster: string; node: string }[];
}

/** What was done, to which nodes, and under which name. */
export function renderSnapshots({ done, name, nodes }: ShownSnapshots, canvas: Canvas): string {
  const names = nodes.map(({ cluster, node }) => `${cluster}/${node}`).join(", ");
  const texts = {
    taken: `Snapshot ${name} taken of ${names}`,
    removed: `Snapshot ${name} removed from ${names}`,
    "rolled back": `${names} rolled back to ${name}, and started`,
  };
  const clusters = done === "taken" ? [...new Set(nodes.map(({ cluster }) => cluster))] : [];
  return drawLines(
    [
      ...marked(["ok", style(canvas).glyphs.done], texts[done], canvas),
      ...clusters.map((cluster) => wholeLine(`  back  slipway snapshot rollback ${cluster} ${name}`)),
    ],
    canvas,
  );
}

/** Oldest first within each node, as they were taken. */
export function snapshotTable(snapshots: MachineSnapshot[], canvas: Canvas): string {
  if (snapshots.length === 0)
    return drawLines(sentence("No snapshots. Take some with: slipway snapshot CLUSTER", canvas), canvas);
  const rows = [
    ["NODE", "SNAPSHOT", "TAKEN (UTC)", "BY"],
    ...snapshots.map(({ cluster, node, name, takenAt, isOurs }) => [
      `${cluster}/${node}`,
      name,
      takenAt.slice(0, 19).replace("T", " "),
      isOurs ? "Slipway" : "others",
    ]),
  ];
  // The name says when it was taken, and is what rollback is given.
  const columns = [{ gap: 3 }, { gap: 3 }, { gap: 3, dropFirst: 1 }, { dropFirst: 2 }];
  return drawLines(
    layOut(rows, columns, canvas.columns).map((cells) => wholeLine(cells.join(""))),
    canvas,
  );
}

/** Asked after: what is lost by going back. */
export function renderRollbackWarning(nodes: string[], name: string, canvas: Canvas): string {
  return drawLines(
    [
      ...marked(
        ["warn", style(canvas).glyphs.warning],
        `${nodes.join(", ")} stop, go back to ${name}, and start again`,
        canvas,
      ),
      ...hint("loses", "all that was written to their disks since, data disks included", canvas),
      ...hint(
        "etcd",
        "goes back on all control planes together or on none; changes in Kubernetes since then are lost",
        canvas,
      ),
    ],
    canvas,
  );
}
