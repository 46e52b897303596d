import type { Command } from "commander";
import { fileOption } from "../../options.ts";
import type { AddCommand } from "../../add-command.ts";

/** The files below `.slipway` that hold secrets: how they lie there, and whose keys open them. */
export function addSecretsCommands(program: Command, add: AddCommand): void {
  const secrets = program
    .command("secrets")
    .description("secret files: plain, or encrypted with age or SOPS")
    .addHelpText("after", "\nExample:\n  $ slipway secrets rekey homelab");
  add(
    secrets,
    "show [cluster]",
    "which files there are, in which format, and whether you can open them",
    "slipway secrets show homelab",
    () => import("./show.ts"),
  )
    .option(...fileOption)
    .option("--json", "one JSON object per file");
  add(
    secrets,
    "rekey [cluster]",
    "write them again as the file says: other keys, another format",
    "slipway secrets rekey homelab",
    () => import("./rekey.ts"),
  )
    .option(...fileOption)
    .option("--json", "one JSON object per file");
  add(
    secrets,
    "recover [cluster]",
    "read a lost secrets file back from the running cluster",
    "slipway secrets recover homelab",
    () => import("./recover.ts"),
  )
    .option("--talosconfig <file>", "of an administrator, where the one beside the secrets is lost too")
    .option("--ssh-key <file>", "that the servers of K3s let in, where neither theirs nor yours does")
    .option(...fileOption)
    .option("--json", "one JSON object");
  add(
    secrets,
    "decrypt <path>",
    "print what is in a file of age or SOPS",
    "slipway secrets decrypt .slipway/homelab/secrets.sops.yaml",
    () => import("./decrypt.ts"),
  ).option(...fileOption);
}
