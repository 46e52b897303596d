import type { Command } from "commander";
import { fileOption } from "../../options.ts";
import type { AddCommand } from "../../add-command.ts";

/** Backups of clusters: `slipway backup` takes them, its sub-commands show and prove them. */
export function addBackupCommands(program: Command, add: AddCommand): void {
  const take = add(
    program,
    "backup [cluster]",
    "take, list, check backups",
    "slipway backup homelab --to /mnt/nas/backups",
    () => import("./take.ts"),
  ).option(
    "--to <place>",
    "a folder, s3://bucket/prefix, or - for a pipe, instead of the places in the file",
  );
  take
    .enablePositionalOptions()
    .option(...fileOption)
    .option("--json", "events as NDJSON");
  add(
    take,
    "list [cluster]",
    "every backup; exits with 3 when the newest is too old",
    "slipway backup list homelab",
    () => import("./list.ts"),
  )
    .option("--in <place>", "a folder or s3://bucket/prefix instead of the places in the file")
    .option(...fileOption)
    .option("--json", "one JSON object per backup");
  add(
    take,
    "machines [cluster[/node]]",
    "backups of whole machines in Proxmox",
    "slipway backup machines homelab/worker-1",
    () => import("./machines.ts"),
  )
    .option(...fileOption)
    .option("--json", "one JSON object per backup");
  add(
    take,
    "check <backup>",
    "open it, prove every part, try the snapshot",
    "slipway backup check homelab-20260714-093102.backup.tar",
    () => import("./check.ts"),
  )
    .option(...fileOption)
    .option("--json", "the result as JSON");
}
