/** A cluster of so many nodes, spread over simulated hosts with ten machines each. */
export function benchFile(
  nodes: number,
  net: string,
  port: number,
  fingerprint: string,
): { yaml: string; hosts: string[] } {
  const controlPlanes = nodes >= 30 ? 3 : 1;
  const hosts = Array.from({ length: Math.max(1, Math.ceil(nodes / 10)) }, (_, index) => `host-${index + 1}`);
  const hostYaml = hosts.map(
    (name) => `  ${name}:
    proxmox:
      url: https://${net}.255.1:${port}
      token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } }
      tls: { fingerprint: "${fingerprint}" }`,
  );
  const yaml = `version: 1
hosts:
${hostYaml.join("\n")}
clusters:
  bench:
    on: [${hosts.join(", ")}]
    network: { cidr: ${net}.0.0/16, gateway: ${net}.255.254, vip: ${net}.0.9 }
    controlPlanes: { count: ${controlPlanes}, cores: 2, memory: 4GiB, disk: 20GiB, address: ${net}.0.10, vmid: 2000 }
    workers: { count: ${nodes - controlPlanes}, cores: 4, memory: 4GiB, disk: 20GiB, address: ${net}.1.1, vmid: 3000 }
`;
  return { yaml, hosts };
}

/** The datacenter it runs on: as many nodes as hosts, each with room. */
export const benchDatacenter = (hosts: string[], secret: string, latencies: "realistic" | "none"): string =>
  JSON.stringify({
    latencies,
    nodes: Object.fromEntries(hosts.map((name) => [name, { cores: 64, memory: "512GiB" }])),
    storages: {
      local: { type: "dir", size: "10TiB", content: ["iso", "import"] },
      "local-lvm": { type: "lvmthin", size: "10TiB", content: ["images", "rootdir"] },
    },
    users: { "slipway@pve": {} },
    acl: [{ path: "/", role: "Administrator", user: "slipway@pve" }],
    tokens: { "slipway@pve!main": { secret, privsep: false } },
  });
