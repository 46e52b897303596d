import { InvalidArgumentError, type Command } from "commander";
import type { AddCommand as Add } from "../../add-command.ts";

/** What talosctl does without a node, under talosctl's names for the flags. */
export function addTalosCommands(program: Command, add: Add): void {
  const talos = program
    .command("talos")
    .description("Talos secrets, configs, patches and schematics, offline")
    .addHelpText("after", "\nExample:\n  $ slipway talos gen secrets");
  const gen = talos
    .command("gen")
    .description("make secrets and machine configs")
    .addHelpText("after", "\nExample:\n  $ slipway talos gen config lab https://10.0.0.10:6443");
  addGenSecrets(gen, add);
  addGenConfig(gen, add);
  add(
    talos,
    "patch <config>",
    "a machine config with patches merged into it",
    "slipway talos patch worker.yaml --patch @longhorn.yaml -o worker-2.yaml",
    () => import("./patch.ts"),
  )
    .option("-p, --patch <patch>", "a patch, or @FILE to read one; may be given again", collect)
    .option("-o, --output <file>", "where to write it, - for the terminal", "-")
    .option("--force", "overwrite a file that is there");
  add(
    talos,
    "schematic <file>",
    "the image factory's id of a schematic, computed here",
    "slipway talos schematic schematic.yaml",
    () => import("./schematic.ts"),
  ).option("--json", "the id and the text it is computed from");
}

function addGenSecrets(gen: Command, add: Add): void {
  add(
    gen,
    "secrets",
    "new secrets for a cluster",
    "slipway talos gen secrets -o secrets.yaml",
    () => import("./gen-secrets.ts"),
  )
    .option("-o, --output-file <file>", "where to write them, - for the terminal", "secrets.yaml")
    .option("--talos-version <version>", "the Talos version they are for, such as v1.13")
    .option("--from-controlplane-config <file>", "take them out of a control plane's machine config")
    .option("-f, --force", "overwrite a file that is there");
}

function addGenConfig(gen: Command, add: Add): void {
  add(
    gen,
    "config <name> <endpoint>",
    "machine configs and a talosconfig",
    "slipway talos gen config lab https://10.0.0.10:6443 --with-secrets secrets.yaml",
    () => import("./gen-config.ts"),
  )
    .option("--with-secrets <file>", "secrets to use; new ones without it")
    .option("--talos-version <version>", "the Talos version the configs are for, such as v1.13")
    .option("--kubernetes-version <version>", "the Kubernetes to run")
    .option(
      "-t, --output-types <types>",
      "some of controlplane,worker,talosconfig; all without it",
      collectList,
    )
    .option("-o, --output <place>", "a folder; for one output type a file, or - for the terminal")
    .option("--config-patch <patch>", "a patch for all, or @FILE; may be given again", collect)
    .option("--config-patch-control-plane <patch>", "the same for control planes", collect)
    .option("--config-patch-worker <patch>", "the same for workers", collect)
    .option("--install-disk <device>", "the disk to install to", "/dev/sda")
    .option("--install-image <image>", "the image to install from")
    .option("--additional-sans <names>", "further names in the API's certificate", collectList)
    .option("--dns-domain <domain>", "the cluster's DNS domain", "cluster.local")
    .option("--registry-mirror <host=url>", "ask a mirror first; may be given again", collectList)
    .option("--with-cluster-discovery [bool]", "let nodes find each other (on unless =false)", readBoolean)
    .option("--with-kubespan [bool]", "encrypt between nodes", readBoolean)
    .option("--with-docs [bool]", "only false: comments are never written", readNever)
    .option("--with-examples [bool]", "only false: comments are never written", readNever)
    .option("-f, --force", "overwrite files that are there");
}

const collect = (value: string, earlier: string[] = []): string[] => [...earlier, value];

/** A comma separates, and the flag may be given again. */
const collectList = (value: string, earlier: string[] = []): string[] => [
  ...earlier,
  ...value.split(",").filter((item) => item !== ""),
];

/** Without a value commander takes the flag as it is and does not ask here. */
function readBoolean(value: string): boolean {
  if (!/^(true|false)$/.test(value)) throw new InvalidArgumentError("Write =true or =false behind it.");
  return value === "true";
}

function readNever(value: string): boolean {
  if (readBoolean(value)) throw new InvalidArgumentError("Slipway writes configs without comments.");
  return false;
}
