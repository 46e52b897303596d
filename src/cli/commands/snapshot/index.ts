import type { Command } from "commander";
import { fileOption } from "../../options.ts";
import type { AddCommand } from "../../add-command.ts";

/** Snapshots of machines: `slipway snapshot` takes them, its sub-commands show and use them. */
export function addSnapshotCommands(program: Command, add: AddCommand): void {
  // Options behind a sub-command are its own, though the command before it has the same.
  program.enablePositionalOptions();
  const take = add(
    program,
    "snapshot [cluster[/node]]",
    "take, list, roll back, remove snapshots",
    "slipway snapshot homelab",
    () => import("./take.ts"),
  );
  common(take.enablePositionalOptions());
  const list = add(
    take,
    "list [cluster[/node]]",
    "every snapshot of these machines",
    "slipway snapshot list homelab",
    () => import("./list.ts"),
  );
  common(list);
  const rollback = add(
    take,
    "rollback <cluster[/node]> <name>",
    "stop, roll back, start",
    "slipway snapshot rollback homelab slipway-20260714-093102",
    () => import("./rollback.ts"),
  ).option("--force", "one control plane without the others; etcd is then yours to repair");
  common(rollback);
  const remove = add(
    take,
    "remove <cluster[/node]> <name>",
    "remove a snapshot that Slipway took",
    "slipway snapshot remove homelab slipway-20260714-093102",
    () => import("./remove.ts"),
  );
  common(remove);
}

const common = (command: Command): Command =>
  command.option(...fileOption).option("--json", "one JSON object per snapshot or result");
