import type { SnapshotReport } from "../../../operations/index.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { renderSnapshots, type ShownSnapshots } from "../../views/index.ts";

/** The last line: what was done, to which nodes, and under which name. */
export function tellSnapshots(
  shell: Shell,
  options: CommonOptions,
  done: ShownSnapshots["done"],
  { name, nodes }: SnapshotReport,
): void {
  if (options.json) shell.lines.tell({ type: "snapshots", done, name, nodes });
  else shell.out.write(renderSnapshots({ done, name, nodes }, shell.out));
}
