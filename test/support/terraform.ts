import { copyFile, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import {
  clientSucceeds,
  findOnPath,
  isProgram,
  labCache,
  runClient,
  type ClientLab,
  type ClientSays,
} from "./client-lab.ts";

export const howToGetTerraform =
  "needs terraform on PATH (or named in $TERRAFORM) and the bpg provider (lab/build-bpg-provider.sh)";

const providers = (): string => path.join(labCache(), "terraform-providers");

/** The real terraform; undefined also when its Proxmox provider is missing. */
export function findTerraform(): string | undefined {
  if (!isProgram(path.join(providers(), "terraform-provider-proxmox"))) return undefined;
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

/** Runs Terraform in a folder made ready for it. */
export const runTerraform = (folder: string, args: string[], timeoutMs?: number): Promise<ClientSays> =>
  runClient(...terraformCall(folder, args, timeoutMs));

/** The same, and throws all it said when it fails. */
export const terraform = (folder: string, args: string[], timeoutMs?: number): Promise<ClientSays> =>
  clientSucceeds(...terraformCall(folder, args, timeoutMs));

function terraformCall(
  folder: string,
  args: string[],
  timeoutMs = 120_000,
): Parameters<typeof clientSucceeds> {
  const env = {
    TF_CLI_CONFIG_FILE: path.join(folder, "terraform.rc"),
    TF_IN_AUTOMATION: "1",
    SSL_CERT_FILE: path.join(folder, "ca.pem"),
  };
  return [findTerraform() ?? "terraform", [...args, "-no-color"], { cwd: folder, env, timeoutMs }];
}
