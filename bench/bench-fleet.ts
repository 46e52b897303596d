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
    workers: ${workerPools(nodes - controlPlanes, net)}
`;
  return { yaml, hosts };
}

/** As many as a pool may have. */
const poolSize = 5_000;

function workerPools(count: number, net: string): string {
  if (count <= poolSize) return workerPool(count, `${net}.1.1`, 3_000);
  const pools = Array.from({ length: Math.ceil(count / poolSize) }, (_, index) => {
    const rest = Math.min(poolSize, count - index * poolSize);
    return `pool-${index + 1}: ${workerPool(rest, `${net}.${1 + 40 * index}.1`, 3_000 + poolSize * index)}`;
  });
  return `{ ${pools.join(", ")} }`;
}

const workerPool = (count: number, address: string, vmid: number): string =>
  `{ count: ${count}, cores: 4, memory: 4GiB, disk: 20GiB, address: ${address}, vmid: ${vmid} }`;

/** The datacenter it runs on: as many nodes as hosts, each with room, and where `net` is given with an address there. */
export const benchDatacenter = (
  hosts: string[],
  secret: string,
  latencies: "realistic" | "none",
  net?: string,
): string =>
  JSON.stringify({
    latencies,
    nodes: Object.fromEntries(
      hosts.map((name, index) => [
        name,
        { cores: 64, memory: "512GiB", ...(net !== undefined && { address: `${net}.254.${index + 1}` }) },
      ]),
    ),
    storages: {
      local: { type: "dir", size: "10TiB", content: ["iso", "import"] },
      "local-lvm": { type: "lvmthin", size: "10TiB", content: ["images", "rootdir"] },
    },
    users: { "slipway@pve": {} },
    acl: [{ path: "/", role: "Administrator", user: "slipway@pve" }],
    tokens: { "slipway@pve!main": { secret, privsep: false } },
  });
