import type { Command } from "commander";
import { fileOption } from "../../options.ts";
import type { AddCommand } from "../../add-command.ts";

/** Secrets of running clusters, exchanged for new ones. */
export function addRotationCommands(program: Command, add: AddCommand): void {
  const rotate = program
    .command("rotate")
    .description("exchange secrets of a running cluster: credentials, CAs")
    .addHelpText("after", "\nExample:\n  $ slipway rotate credentials homelab");
  add(
    rotate,
    "credentials [cluster]",
    "new access files, SSH login key and Proxmox token",
    "slipway rotate credentials homelab",
    () => import("./credentials.ts"),
  )
    .option(...fileOption)
    .option("--json", "one JSON object per credential");
  add(
    rotate,
    "ca <talos|kubernetes> [cluster]",
    "a new CA, node by node; the old one is dropped when you say so",
    "slipway rotate ca kubernetes homelab",
    () => import("./ca.ts"),
  )
    .option("--finish", "drop the old CA too")
    .option(...fileOption)
    .option("--json", "events as NDJSON");
}
