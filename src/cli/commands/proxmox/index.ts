import type { Command } from "commander";
import { fileOption } from "../../options.ts";
import type { AddCommand } from "../../add-command.ts";

/** What concerns the Proxmox servers themselves, not the clusters on them. */
export function addProxmoxCommands(program: Command, add: AddCommand): void {
  const proxmox = program
    .command("proxmox")
    .description("the accounts Slipway works with on Proxmox VE")
    .addHelpText("after", "\nExample:\n  $ slipway proxmox grant hydra");
  add(
    proxmox,
    "grant [host]",
    "make user, token and exactly the rights the file needs",
    "slipway proxmox grant hydra --print",
    () => import("./grant.ts"),
  )
    .option(
      "--user <user>",
      "who makes them; the password is asked, or read from SLIPWAY_PVE_PASSWORD",
      "root@pam",
    )
    .option("--print", "only print the commands for a shell on the Proxmox node")
    .option("--keep-images", "without the right to delete images that nothing uses any more")
    .option(...fileOption)
    .option("--json", "one JSON object per Proxmox server");
  add(
    proxmox,
    "rotate <cluster>",
    "replace the token of a cluster's own account",
    "slipway proxmox rotate homelab",
    () => import("./rotate.ts"),
  )
    .option(...fileOption)
    .option("--json", "one JSON object");
}
