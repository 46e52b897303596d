import { copyFile, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { clientSucceeds, findOnPath, isProgram, type ClientLab, type ClientSays } from "./client-lab.ts";
import { labCache, labFile } from "../peers.ts";

export const howToGetTerraform =
  "needs terraform on PATH (or named in $TERRAFORM) and the bpg provider (lab/build-bpg-provider.sh)";

const providers = (): string => path.join(labCache(), "terraform-providers");

/** The real terraform; undefined also when its Proxmox provider is missing. */
export function findTerraform(): string | undefined {
  if (!labFile("terraform-providers", "terraform-provider-proxmox")) return undefined;
  const named = process.env["TERRAFORM"];
  return named === undefined ? findOnPath("terraform") : isProgram(named) ? named : undefined;
}

/** How Terraform is to reach a Proxmox cluster. */
export type TerraformAccess = Pick<ClientLab, "endpoint" | "token" | "caFile">;

/**
 * Makes `folder` a place Terraform can work in at once: the provider comes from the lab's cache, so that neither
 * `terraform init` nor a registry is asked, and the token is in a file that only this user can read.
 */
export async function prepareTerraform(folder: string, access: TerraformAccess): Promise<void> {
  await mkdir(folder, { recursive: true });
  await copyFile(access.caFile, path.join(folder, "ca.pem"));
  const settings = `provider_installation {
  dev_overrides { "bpg/proxmox" = "${providers()}" }
  filesystem_mirror { path = "${providers()}" }
}
disable_checkpoint = true
`;
  await writeFile(path.join(folder, "terraform.rc"), settings);
  const variables = { endpoint: access.endpoint, token: `${access.token.id}=${access.token.secret}` };
  await writeFile(path.join(folder, "access.auto.tfvars.json"), JSON.stringify(variables), { mode: 0o600 });
}

/** Runs Terraform in a folder made ready for it, and throws all it said when it fails. */
export function terraform(folder: string, args: string[], timeoutMs = 120_000): Promise<ClientSays> {
  const env = {
    TF_CLI_CONFIG_FILE: path.join(folder, "terraform.rc"),
    TF_IN_AUTOMATION: "1",
    SSL_CERT_FILE: path.join(folder, "ca.pem"),
  };
  const program = findTerraform() ?? "terraform";
  return clientSucceeds(program, [...args, "-no-color"], { cwd: folder, env, timeoutMs });
}

export interface TerraformFleet extends TerraformAccess {
  folder: string;
  /** Hosts the machines are dealt out to in turn. */
  nodes: string[];
  count: number;
  /** Every machine imports the image, or clones the template of its host, which was made from the image. */
  from: "image" | "template";
  /** Clones that stand on their template; the provider's own default are copies. */
  isLinked?: boolean;
  /** Where the hosts fetch the image. */
  image?: string;
}

/** Writes the Terraform way to a fleet of equal machines, as the provider's documentation shows it. */
export async function writeTerraformFleet(fleet: TerraformFleet): Promise<void> {
  await prepareTerraform(fleet.folder, fleet);
  const parts = [fleetHead(fleet), fleet.from === "template" ? fleetTemplates : "", fleetMachines(fleet)];
  await writeFile(path.join(fleet.folder, "main.tf"), parts.join("\n"));
}

export interface TerraformPace {
  /** How many things Terraform works on at once; ten when nothing is said. */
  parallelism?: number;
  timeoutMs?: number;
}

/** Makes all of it; returns how many milliseconds of the wall that took. */
export const terraformApply = (folder: string, pace: TerraformPace = {}): Promise<number> =>
  timedTerraform(folder, "apply", pace);

/** Removes all of it; returns how many milliseconds of the wall that took. */
export const terraformDestroy = (folder: string, pace: TerraformPace = {}): Promise<number> =>
  timedTerraform(folder, "destroy", pace);

async function timedTerraform(folder: string, verb: string, pace: TerraformPace): Promise<number> {
  const parallelism = pace.parallelism === undefined ? [] : [`-parallelism=${pace.parallelism}`];
  const args = [verb, "-auto-approve", ...parallelism];
  return (await terraform(folder, args, pace.timeoutMs ?? 1_800_000)).tookMs;
}

const fleetHead = ({ nodes, image = "https://images.example/node.qcow2" }: TerraformFleet): string => `
terraform {
  required_providers {
    proxmox = { source = "bpg/proxmox" }
  }
}

variable "endpoint" { type = string }
variable "token" {
  type      = string
  sensitive = true
}

locals {
  nodes = ${JSON.stringify(nodes)}
}

provider "proxmox" {
  endpoint  = var.endpoint
  api_token = var.token
}

resource "proxmox_virtual_environment_download_file" "image" {
  count        = length(local.nodes)
  content_type = "import"
  datastore_id = "local"
  node_name    = local.nodes[count.index]
  url          = ${JSON.stringify(image)}
  file_name    = "fleet.qcow2"
}
`;

const fleetTemplates = `
resource "proxmox_virtual_environment_vm" "template" {
  count     = length(local.nodes)
  name      = "fleet-template-\${local.nodes[count.index]}"
  node_name = local.nodes[count.index]
  vm_id     = 9000 + count.index
  template  = true
  started   = false

  disk {
    datastore_id = "local-lvm"
    import_from  = proxmox_virtual_environment_download_file.image[count.index].id
    interface    = "scsi0"
    size         = 20
  }
  network_device {
    bridge = "vmbr0"
  }
}
`;

const fleetMachines = ({ count, from, isLinked = false }: TerraformFleet): string => `
resource "proxmox_virtual_environment_vm" "machine" {
  count     = ${count}
  name      = "fleet-\${count.index}"
  node_name = local.nodes[count.index % length(local.nodes)]
  # Chosen, because the provider's own way to free numbers costs it calls.
  vm_id           = 5000 + count.index
  tags            = ["fleet"]
  stop_on_destroy = true
${
  from === "template"
    ? `
  clone {
    vm_id = proxmox_virtual_environment_vm.template[count.index % length(local.nodes)].vm_id
    full  = ${!isLinked}
  }`
    : ""
}
  cpu {
    cores = 2
    type  = "x86-64-v2-AES"
  }
  memory {
    dedicated = 2048
  }
  disk {
    datastore_id = "local-lvm"${
      from === "image"
        ? `
    import_from  = proxmox_virtual_environment_download_file.image[count.index % length(local.nodes)].id`
        : ""
    }
    interface    = "scsi0"
    size         = 20
  }
  network_device {
    bridge = "vmbr0"
  }
}
`;
