/** `slipway init`: a first cluster file, asked for and read from the hosts, or copied from an example. */
import type { Command } from "commander";
import type { AddCommand } from "../../add-command.ts";

/** Every question has a flag of its key. */
export function addInitCommand(program: Command, add: AddCommand): void {
  add(
    program,
    "init",
    "write a cluster file: asks, reads the hosts, proposes what fits",
    "slipway init",
    () => import("./init.ts"),
  )
    .option("--example [name]", "copy an example instead; without a name they are listed")
    .option("--force", "overwrite a file that is there")
    .option("--answers <file>", "answers to the questions, by the names of their flags, as YAML or JSON")
    .option("--on <kind>", "what the machines run on: proxmox, libvirt or existing")
    .option("--address <address>", "of the Proxmox host; or qemu:///system, or USER@HOST with libvirt by SSH")
    .option("--machines <addresses>", "machines that exist, control planes first")
    .option("--fingerprint <sha256>", "what the host shows of its certificate")
    .option("--fingerprints <yes|trust>", "whether the screens of machines that exist show what they told")
    .option("--account <make|have>", "make an account with the rights it needs, or use a token that is there")
    .option(
      "--user <user>",
      "who makes the account; the password is asked, or read from $SLIPWAY_PVE_PASSWORD",
    )
    .option("--token-id <id>", "the API token: user, realm and name")
    .option("--token-env <variable>", "where its secret is found; PVE_TOKEN when left out")
    .option("--hosts <names>", "nodes that get machines")
    .option("--storage <name>", "where disks of machines go")
    .option("--image-storage <name>", "where images go")
    .option("--network <name>", "the bridge machines are plugged into, or nat on libvirt")
    .option("--vlan <tag>", "the VLAN of the machines, or none")
    .option("--cidr <network>", "the network of the machines")
    .option("--gateway <address>", "its gateway")
    .option("--distribution <name>", "talos or k3s")
    .option("--nodes <n+m>", "control planes + workers")
    .option("--cores <number>", "processor cores of a worker")
    .option("--memory <GiB>", "memory of a worker")
    .option("--disk <GiB>", "disk of a machine")
    .option("--first-address <address>", "of the first machine; the others count up")
    .option("--name <cluster>", "name of the cluster")
    .option("--write <yes|no>", "whether the proposed file is written");
}
