import { Option, type Command } from "commander";
import type { Disaster } from "../../../operations/index.ts";
import type { AddCommand } from "../../add-command.ts";

const disasters = {
  "lost-quorum": true,
  "lost-host": true,
  "lost-everything": true,
  "lost-secrets": true,
} satisfies Record<Disaster, true>;

/** What is tried on a simulated datacenter. */
export function addRehearsalCommands(program: Command, add: AddCommand): void {
  add(program, "rehearse [file]", "try it, simulated", "slipway rehearse", () => import("./rehearse.ts"))
    .option("--only <cluster[/node]>", "one cluster, or one node of it")
    .option("--speed <factor>", "how much faster than real time at most", Number, 20)
    .option("--ui", "watch it in the browser too")
    .addOption(
      new Option("--disaster <kind>", "let it be lost, and bring it back as you would").choices(
        Object.keys(disasters),
      ),
    );
  add(
    program,
    "sim",
    "run the simulated datacenter",
    "slipway sim --listen 127.0.0.1:8006",
    () => import("./sim.ts"),
  )
    .option("--datacenter <file>", "a file that describes it; three hosts without one")
    .option("--listen <address>", "where the first Proxmox node answers", "127.0.0.1:8006")
    .option("--state <file>", "keep the datacenter in this file over restarts")
    .option("--speed <factor>", "how much faster than real time", Number);
}
