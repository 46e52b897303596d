import type { Command } from "commander";
import type { RenewablePart } from "../../../plan/index.ts";
import { fileOption } from "../../options.ts";
import type { AddCommand } from "../../add-command.ts";

const parts: Record<RenewablePart, string> = {
  certificates: "new certificates of every node, of the same CAs",
  tokens: "new tokens for nodes to join with",
  "encryption-keys": "a new key for Secrets, which are all written again with it",
};

/** Secrets of running clusters, exchanged for new ones. */
export function addRotationCommands(program: Command, add: AddCommand): void {
  const rotate = program
    .command("rotate")
    .description("exchange secrets of a running cluster: credentials, CAs, certificates, tokens, keys")
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
  for (const [part, summary] of Object.entries(parts) as [RenewablePart, string][])
    add(rotate, `${part} [cluster]`, summary, `slipway rotate ${part} homelab`, async () => ({
      run: (await import("./part.ts")).rotating(part),
    }))
      .option(...fileOption)
      .option("--json", "events as NDJSON");
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
