import type { OwnedMachine, ReadContext, TerraformBlock } from "../../../plan/index.ts";
import type { ProxmoxHost } from "../../../spec/index.ts";
import { groupByServer, type HostRegistry } from "../host-registry.ts";
import { terraformMachine } from "./terraform-machine.ts";

/** These machines for the Terraform provider bpg/proxmox, as they are now. Changes nothing. */
export async function describeTerraform(
  ctx: ReadContext,
  registry: HostRegistry,
  machines: OwnedMachine[],
): Promise<TerraformBlock[]> {
  if (machines.length === 0) return [];
  const hosts = [...new Set(machines.map(({ host }) => host))].map(registry.host);
  const servers = groupByServer(hosts);
  const aliasOf = (host: string): string | undefined =>
    servers.slice(1).find((group) => group.some(({ name }) => name === host))?.[0]?.name;
  const found = await Promise.all(
    machines.map(async ({ node, host, on, id = 0, isRunning }) => {
      const client = await registry.client(host);
      const { now } = await client.machineState({ node: on, vmid: id }, ctx.signal);
      const alias = aliasOf(host);
      const provider = alias === undefined ? undefined : `proxmox.${alias}`;
      return terraformMachine({ node, on, vmid: id, isRunning, config: now }, provider);
    }),
  );
  return [...setup(servers), ...found.flat()];
}

/** What is not ours to write down stays a variable: $TF_VAR_proxmox_token, or a question. */
const setup = (servers: ProxmoxHost[][]): TerraformBlock[] => [
  {
    type: "terraform",
    blocks: [
      {
        type: "required_providers",
        attributes: { proxmox: { expression: '{ source = "bpg/proxmox", version = ">= 0.106.0" }' } },
      },
    ],
  },
  ...servers.flatMap(([host], index) => (host ? serverBlocks(host, index) : [])),
];

function serverBlocks({ name, proxmox }: ProxmoxHost, index: number): TerraformBlock[] {
  const variable = index === 0 ? "proxmox_token" : `proxmox_token_${name}`;
  return [
    {
      type: "variable",
      labels: [variable],
      comments: [`Of ${proxmox.token.id}, or of an account made for Terraform: USER@REALM!NAME=SECRET.`],
      attributes: { type: { expression: "string" }, sensitive: true },
    },
    {
      type: "provider",
      labels: ["proxmox"],
      comments:
        "fingerprint" in (proxmox.tls ?? {})
          ? [
              "The provider knows no fingerprints: it wants a certificate that this machine trusts ($SSL_CERT_FILE can name",
              "the CA of the Proxmox cluster, /etc/pve/pve-root-ca.pem there).",
            ]
          : [],
      attributes: {
        alias: index === 0 ? undefined : name,
        endpoint: proxmox.url,
        api_token: { expression: `var.${variable}` },
      },
    },
  ];
}
