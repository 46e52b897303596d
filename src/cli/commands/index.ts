/** Every command as typed, with its options: the table of contents of this folder. Groups list their own. */
import { Option, type Command } from "commander";
import { formats, sources, views } from "../../exports/graph/index.ts";
import { stages } from "../../plan/index.ts";
import { fileOption } from "../options.ts";
import { addAccessCommands } from "./access/index.ts";
import type { AddCommand } from "../add-command.ts";
import { addBackupCommands } from "./backup/index.ts";
import { addFleetCommands } from "./fleet/index.ts";
import { addInitCommand } from "./init/index.ts";
import { addProxmoxCommands } from "./proxmox/index.ts";
import { addRehearsalCommands } from "./rehearsal/index.ts";
import { addRotationCommands } from "./rotation/index.ts";
import { addSecretsCommands } from "./secrets/index.ts";
import { addSnapshotCommands } from "./snapshot/index.ts";
import { addTalosCommands } from "./talos/index.ts";

/** As help lists them. */
export function addCommands(program: Command, add: AddCommand): void {
  addFileCommands(program, add);
  addMediaCommands(program, add);
  addChangingCommands(program, add);
  addLookingCommands(program, add);
  addRehearsalCommands(program, add);
  addAccessCommands(program, add);
  addExchangeCommands(program, add);
  // Last, so that a command's own options stand first in its help.
  for (const command of program.commands) common(command);
  addSnapshotCommands(program, add);
  addBackupCommands(program, add);
  addTalosCommands(program, add);
  addProxmoxCommands(program, add);
  addRotationCommands(program, add);
  addSecretsCommands(program, add);
  addFleetCommands(program, add);
}

/** What they print is another program's, or a document. */
const passedOn = new Set(["kubectl", "talosctl", "ssh", "console", "schema", "completion"]);

function common(command: Command): void {
  command.option(...fileOption);
  if (!passedOn.has(command.name())) command.option("--json", "events as NDJSON");
}

function addFileCommands(program: Command, add: AddCommand): void {
  addInitCommand(program, add);
  add(
    program,
    "validate [file]",
    "check the file",
    "slipway validate lab.yaml",
    () => import("./validate.ts"),
  );
}

function addMediaCommands(program: Command, add: AddCommand): void {
  add(
    program,
    "image [cluster]",
    "what bare machines are started from: ISO, PXE",
    "slipway image homelab -o talos.iso",
    () => import("./image.ts"),
  ).option("-o, --output <file>", "fetch the ISO into this file");
}

function addChangingCommands(program: Command, add: AddCommand): void {
  add(program, "plan [cluster]", "what would change", "slipway plan homelab", () => import("./plan.ts"))
    .option("--only <cluster[/node]>", "one cluster, or one node of it")
    .addOption(new Option("--until <stage>", "go no further than this").choices(stages).default("addons"))
    .option("--details", "every field that differs")
    .option("--destroy", "what down would remove")
    .option("--out <file>", "keep the plan, for up --plan")
    .option("--accept-data-loss <name...>", "nodes and add-ons whose data may be lost")
    .option("--snapshot", "snapshot machines before they are changed")
    .option(
      "--backup-machines <storage>",
      "back whole machines up there before they are interrupted or removed",
    )
    .option("--host-lost <host...>", "hosts that do not come back: their nodes are made again elsewhere")
    .option("--outside-window", "changes that take nodes away may begin now, whatever rollout.window says")
    .option("--exit-code", "exit with 3 when something would change");
  add(program, "up [cluster]", "make it real", "slipway up homelab", () => import("./up.ts"))
    .option("--only <cluster[/node]>", "one cluster, or one node of it")
    .addOption(new Option("--until <stage>", "go no further than this").choices(stages).default("addons"))
    .option("--accept-data-loss <name...>", "nodes and add-ons whose data may be lost")
    .option("--snapshot", "snapshot machines before they are changed")
    .option(
      "--backup-machines <storage>",
      "back whole machines up there before they are interrupted or removed",
    )
    .option("--host-lost <host...>", "hosts that do not come back: their nodes are made again elsewhere")
    .option("--outside-window", "changes that take nodes away may begin now, whatever rollout.window says")
    .option("--plan <file>", "do what this plan says, or nothing when it no longer fits")
    .option("--junit <file>", "write checks and steps as JUnit XML too")
    .option("--ui", "watch it in the browser too");
  add(
    program,
    "upgrade [cluster]",
    "newer versions, into the file and to the nodes",
    "slipway upgrade homelab --check",
    () => import("./day-two/upgrade.ts"),
  )
    .option("--talos <version>", "this Talos instead of the newest allowed")
    .option("--kubernetes <version>", "this Kubernetes instead of the newest allowed")
    .option("--k3s <version>", "this K3s instead of the newest allowed")
    .option("--outside-window", "begin now, whatever rollout.window says")
    .option("--check", "only tell what runs and what may come");
  add(
    program,
    "replace <node>",
    "make a node again, living or dead",
    "slipway replace homelab/cp-2",
    () => import("./day-two/replace.ts"),
  )
    .option(
      "--from-backup [archive]",
      "from a backup of its machine in Proxmox; the newest when none is named",
    )
    .option("--backup-machines <storage>", "back the old machine up there before it is removed")
    .option("--host-lost <host...>", "hosts that do not come back: the node is made again elsewhere");
  add(
    program,
    "restore <backup> [cluster]",
    "bring it back from a backup",
    "slipway restore homelab-20261117-090000.backup.tar",
    () => import("./day-two/restore.ts"),
  )
    .option("--as <name>", "beside the original, as this cluster of the file: a copy for a trial")
    .option("--files-only", "only the cluster file and the secrets, where they are missing")
    .option("--host-lost <host...>", "hosts that do not come back: their nodes are made again elsewhere");
  add(
    program,
    "rollback <node>",
    "boot what a node ran before its upgrade",
    "slipway rollback homelab/worker-1",
    () => import("./day-two/rollback.ts"),
  );
  add(program, "down [cluster]", "take it away", "slipway down homelab", () => import("./down.ts"))
    .option("--only <cluster>", "one cluster")
    .option("--with-data", "remove data disks too");
  addMovingCommands(program, add);
}

function addMovingCommands(program: Command, add: AddCommand): void {
  add(
    program,
    "evacuate <host>",
    "move machines off a host that needs maintenance",
    "slipway evacuate hydra",
    () => import("./day-two/evacuate.ts"),
  );
  add(
    program,
    "return <host>",
    "bring machines back to a host",
    "slipway return hydra",
    () => import("./day-two/return.ts"),
  );
}

function addLookingCommands(program: Command, add: AddCommand): void {
  add(program, "status [cluster]", "what is there", "slipway status homelab", () => import("./status.ts"))
    .option("--watch", "refresh every 2 seconds")
    .option("--exit-code", "exit with 3 when a cluster is not Ready");
  add(
    program,
    "verify [cluster...]",
    "is it healthy",
    "slipway verify homelab --junit verify.xml",
    () => import("./verify.ts"),
  )
    .option("--quick", "only read: start no pods that test network and storage")
    .option("--image <image>", "a busybox for these pods, where the usual one cannot be pulled")
    .option("--wait <seconds>", "how long these pods may take to come up", Number, 60)
    .option("--junit <file>", "write the results as JUnit XML too");
  add(program, "doctor [cluster]", "why is it not", "slipway doctor homelab", () => import("./doctor.ts"));
  add(
    program,
    "graph [cluster]",
    "draw it",
    "slipway graph homelab -o homelab.svg",
    () => import("./graph.ts"),
  )
    .addOption(
      new Option("--from <source>", "what the file says, what plan would do, or what exists")
        .choices(sources)
        .default("file"),
    )
    .addOption(new Option("--view <view>", "what is shown").choices(views).default("topology"))
    .addOption(
      new Option("--format <format>", "svg, unless the name of the output ends otherwise").choices(formats),
    )
    .option("-o, --output <file>", "the file to write; - for standard output");
  add(program, "ui", "watch it in the browser", "slipway ui", () => import("./ui.ts"))
    .option("--port <number>", "listen here instead of at any free port of this machine", Number)
    .option("--no-open", "only print the address")
    .option("--allow-changes", "let plans be approved in the browser")
    .option("--export <file>", "write a run that has ended as one HTML page instead")
    .option("--run <run>", "the run to begin with, or to export; the newest when left out")
    .option("--fleet", "the clusters of a controller, read from its management cluster, to look only")
    .option("--namespace <namespace>", "with --fleet: the namespace of the controller", "slipway-system")
    .option(
      "--kubeconfig <file>",
      "with --fleet: the management cluster; what kubectl would use if left out",
    );
  add(
    program,
    "support-bundle [cluster]",
    "collect what others need to help, without secrets",
    "slipway support-bundle homelab -o support.tar.gz",
    () => import("./support-bundle.ts"),
  ).option("-o, --output <file>", "the file to write; slipway-support-TIME.tar.gz when left out");
}

/** What goes to other programs, or comes from them. */
function addExchangeCommands(program: Command, add: AddCommand): void {
  add(
    program,
    "adopt <cluster>",
    "take over the secrets of a cluster made elsewhere",
    "slipway adopt homelab --secrets secrets.yaml",
    () => import("./adopt.ts"),
  )
    .option("--secrets <file>", "a secrets file as talosctl gen secrets writes it")
    .option("--talosconfig <file>", "ask a running control plane, as administrator")
    .option("--node <address>", "the control plane to ask, if not the talosconfig's own");
  add(
    program,
    "export <format> [cluster]",
    "the cluster for another tool; formats: talhelper, terraform, dnsmasq",
    "slipway export talhelper homelab -o talhelper",
    () => import("./export.ts"),
  )
    .option("-o, --output <folder>", "where the files go; without it, a folder named like the format")
    .option("--force", "overwrite files that are there");
  add(
    program,
    "schema",
    "the cluster file as JSON Schema",
    "slipway schema > slipway.schema.json",
    () => import("./schema.ts"),
  ).option("--json-output", "the lines of --json instead");
  add(
    program,
    "completion <shell>",
    "completion for bash, zsh, fish or powershell",
    "source <(slipway completion bash)",
    () => import("./completion/completion.ts"),
  );
  add(
    program,
    "version",
    "the build, and the versions of what it reads and speaks",
    "slipway version --json",
    () => import("./version.ts"),
  );
}
