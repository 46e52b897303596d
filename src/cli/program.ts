import { Command, Option } from "commander";
import { stages } from "../plan/index.ts";
import { fileOption, logLevels } from "./options.ts";
import type { Shell } from "./shell.ts";
import { addProxmoxCommands } from "./proxmox-commands.ts";
import { addSecretsCommands } from "./secrets-commands.ts";
import { addSnapshotCommands } from "./snapshot-commands.ts";
import { addTalosCommands } from "./talos-commands.ts";
import { slipwayVersion } from "../version.ts";

/** A command's own file, loaded when it is called for. It returns the exit code. */
export type Run = (shell: Shell, options: never, args: string[]) => Promise<number>;

/** Adds a command below another, loaded when it is called for. */
export type AddCommand = (
  parent: Command,
  usage: string,
  summary: string,
  example: string,
  load: () => Promise<{ run: Run }>,
) => Command;

/** Builds the program. `finish` gets the exit code of the command that ran. */
export function buildProgram(shell: () => Shell, finish: (code: number) => void): Command {
  const program = new Command("slipway")
    .description("one file, running Kubernetes on your own hypervisors")
    .version(slipwayVersion, "-V, --version")
    .showSuggestionAfterError()
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false })
    .exitOverride();

  const made: Command[] = [];
  const addTo: AddCommand = (parent, usage, summary, example, load) => {
    const command = parent
      .command(usage)
      .description(summary)
      .addHelpText("after", `\nExample:\n  $ ${example}`);
    command.action(async (...given: unknown[]) => {
      const args = given
        .slice(0, -2)
        .flat()
        .filter((value) => typeof value === "string");
      const { run } = await load();
      finish(await run(shell(), command.opts<never>(), args));
    });
    made.push(command);
    return command;
  };
  const add = (usage: string, summary: string, example: string, load: () => Promise<{ run: Run }>) =>
    addTo(program, usage, summary, example, load);

  add(
    "init",
    "write a cluster file from an example",
    "slipway init --example quickstart",
    () => import("./commands/init.ts"),
  )
    .option("--example [name]", "which example; without a name they are listed")
    .option("--force", "overwrite a file that is there");
  add("validate", "check the file", "slipway validate -f lab.yaml", () => import("./commands/validate.ts"));
  add("plan [cluster]", "what would change", "slipway plan homelab", () => import("./commands/plan.ts"))
    .option("--only <cluster[/node]>", "one cluster, or one node of it")
    .addOption(new Option("--until <stage>", "go no further than this").choices(stages).default("addons"))
    .option("--details", "every field that differs")
    .option("--destroy", "what down would remove")
    .option("--out <file>", "keep the plan, for up --plan")
    .option("--accept-data-loss <name...>", "nodes and add-ons whose data may be lost")
    .option("--snapshot", "snapshot machines before they are changed")
    .option("--exit-code", "exit with 3 when something would change");
  add("up [cluster]", "make it real", "slipway up homelab", () => import("./commands/up.ts"))
    .option("--only <cluster[/node]>", "one cluster, or one node of it")
    .addOption(new Option("--until <stage>", "go no further than this").choices(stages).default("addons"))
    .option("--accept-data-loss <name...>", "nodes and add-ons whose data may be lost")
    .option("--snapshot", "snapshot machines before they are changed")
    .option("--plan <file>", "do what this plan says, or nothing when it no longer fits")
    .option("--junit <file>", "write checks and steps as JUnit XML too");
  add("down [cluster]", "take it away", "slipway down homelab", () => import("./commands/down.ts"))
    .option("--only <cluster>", "one cluster")
    .option("--with-data", "data disks go too");
  add(
    "status [cluster]",
    "what is there",
    "slipway status homelab",
    () => import("./commands/status.ts"),
  ).option("--watch", "look again every 2 seconds");
  add(
    "verify [cluster...]",
    "is it healthy",
    "slipway verify homelab --junit verify.xml",
    () => import("./commands/verify.ts"),
  )
    .option("--quick", "look only: no pods that try network and storage")
    .option("--image <image>", "a busybox for these pods, where the usual one cannot be pulled")
    .option("--wait <seconds>", "how long these pods may take to come up", Number, 60)
    .option("--junit <file>", "write the results as JUnit XML too");
  add("doctor [cluster]", "why is it not", "slipway doctor homelab", () => import("./commands/doctor.ts"));
  add(
    "support-bundle [cluster]",
    "collect what others need to help, without secrets",
    "slipway support-bundle homelab -o support.tar.gz",
    () => import("./commands/support-bundle.ts"),
  ).option("-o, --output <file>", "where it goes; slipway-support-TIME.tar.gz when left out");
  add("rehearse [file]", "try it, simulated", "slipway rehearse", () => import("./commands/rehearse.ts"))
    .option("--only <cluster[/node]>", "one cluster, or one node of it")
    .option("--speed <factor>", "how much faster than real time", Number, 20);
  add(
    "sim",
    "run the simulated datacenter",
    "slipway sim --listen 127.0.0.1:8006",
    () => import("./commands/sim.ts"),
  )
    .option("--datacenter <file>", "a file that describes it; three hosts without one")
    .option("--listen <address>", "where the first Proxmox node answers", "127.0.0.1:8006")
    .option("--state <file>", "keep the datacenter in this file over restarts")
    .option("--speed <factor>", "how much faster than real time", Number);
  add(
    "kubeconfig [cluster]",
    "print the kubeconfig, or where it is",
    "slipway kubeconfig homelab > ~/.kube/config",
    () => import("./commands/kubeconfig.ts"),
  );
  add(
    "talosconfig [cluster]",
    "print the talosconfig",
    "slipway talosconfig homelab > ~/.talos/config",
    () => import("./commands/talosconfig.ts"),
  );
  add(
    "kubectl [cluster] [args...]",
    "run your own kubectl there, through jump hosts too",
    "slipway kubectl homelab -- get nodes -o wide",
    () => import("./commands/kubectl.ts"),
  );
  add(
    "talosctl [cluster] [args...]",
    "run your own talosctl there, through jump hosts too",
    "slipway talosctl homelab -- -n 10.10.0.10 dashboard",
    () => import("./commands/talosctl.ts"),
  );
  add(
    "proxy [cluster]",
    "hold a way to it open for other programs, until Ctrl-C",
    "slipway proxy homelab",
    () => import("./commands/proxy.ts"),
  ).option("--port <port>", "where it listens on this machine; any free one without it", Number);
  add(
    "ssh <node> [command...]",
    "log in on a node, or run one program there",
    "slipway ssh lab/web-1 -- systemctl status nginx",
    () => import("./commands/ssh.ts"),
  )
    .option("-t, --tty", "a terminal also for a program")
    .option("-T, --no-tty", "no terminal");
  add(
    "console <node>",
    "its serial console; Ctrl-] leaves",
    "slipway console homelab/cp-1",
    () => import("./commands/console.ts"),
  ).option("--force", "take it from whoever has it open");
  add(
    "adopt <cluster>",
    "take over the secrets of a cluster made elsewhere",
    "slipway adopt homelab --secrets secrets.yaml",
    () => import("./commands/adopt.ts"),
  )
    .option("--secrets <file>", "a secrets file as talosctl gen secrets writes it")
    .option("--talosconfig <file>", "ask a running control plane, as administrator")
    .option("--node <address>", "the control plane to ask, if not the talosconfig's own");
  add(
    "export <format> [cluster]",
    "the cluster for another tool; formats: talhelper, dnsmasq",
    "slipway export talhelper homelab -o talhelper",
    () => import("./commands/export.ts"),
  )
    .option("-o, --output <folder>", "where the files go; without it, a folder named like the format")
    .option("--force", "overwrite files that are there");
  add(
    "schema",
    "the cluster file as JSON Schema",
    "slipway schema > slipway.schema.json",
    () => import("./commands/schema.ts"),
  );
  add(
    "completion <shell>",
    "completion for bash, zsh, fish or powershell",
    "source <(slipway completion bash)",
    () => import("./commands/completion.ts"),
  );
  // Last, so that a command's own options stand first in its help.
  for (const command of program.commands) common(command);
  addSnapshotCommands(program, addTo);
  addTalosCommands(program, addTo);
  addProxmoxCommands(program, addTo);
  addSecretsCommands(program, addTo);
  for (const command of made) unattended(command);
  return program;
}

const common = (command: Command): Command =>
  command.option(...fileOption).option("--json", "events as NDJSON");

/** Scripts add these to whatever they call, so every command takes them, also where there is nothing to ask or to tell. */
function unattended(command: Command): void {
  const own = new Set(command.options.map((option) => option.long));
  const options = [
    new Option("-y, --yes", "go on without a question"),
    new Option("--plain", "one line per event instead of a live tree"),
    new Option("--log-level <level>", "how much to tell").choices(logLevels),
  ];
  for (const option of options) if (!own.has(option.long)) command.addOption(option);
}
