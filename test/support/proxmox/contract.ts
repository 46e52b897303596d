import { connectProxmox, type ProxmoxClient } from "../../../src/clients/proxmox/index.ts";
import type { Clock } from "../../../src/lib/index.ts";
import type { ContractSite } from "../provider-contract.ts";
import { proxmoxProvider } from "../../../src/providers/proxmox/index.ts";
import { markText } from "../../../src/providers/proxmox/mark.ts";
import type { Cluster, Node, ProxmoxHost } from "../../../src/spec/index.ts";
import { providerRuns } from "../provider-runs.ts";
import { proxmoxSite, siteCluster, siteHost, siteNode } from "./site.ts";

const changing = /^(create|change|resize|move|start|stop|shutdown|remove|give|download|release)/;

type Hands = Pick<ContractSite, "session" | "writeOnKept" | "isWritten" | "listing">;

/** A Proxmox, simulated or real, and hands that reach it past the provider. */
export interface ProxmoxPlace {
  client: ProxmoxClient;
  clock: Clock;
  host: ProxmoxHost;
  unreachable: { host: ProxmoxHost; client: ProxmoxClient };
  /** The first of a thousand numbers that nobody else uses there. */
  firstVmid: number;
  /** The first three numbers of every address. */
  network: string;
  /** What the cluster has of the place. */
  cluster: Partial<Cluster>;
  /** More than the host has. */
  tooMuchMemoryMiB: number;
  hands: Hands;
  close(): Promise<void>;
}

export const contractVmid = (cluster: Cluster, node: string): number =>
  cluster.nodes.find((each) => each.name === node)?.vmid ?? 0;

/** What every provider must do, on that place. */
export function proxmoxContractOn(place: ProxmoxPlace): ContractSite {
  const { client, clock, host, unreachable } = place;
  const { node: on, storage } = host.proxmox;
  const cluster: ContractSite["cluster"] = (nodes, more = {}) => {
    // Another cluster of the same test has addresses of its own.
    const isFirst = more.name === undefined;
    const first = place.firstVmid + (isFirst ? 0 : 500);
    const made = nodes.map((changes, index): Node =>
      siteNode(`cp-${index + 1}`, {
        address: `${place.network}.${(isFirst ? 11 : 111) + index}`,
        mac: `02:aa:bb:cc:dd:${(isFirst ? 10 : 50) + index}`,
        vmid: first + index,
        cores: 1,
        memoryMiB: 32,
        diskGiB: 2,
        ...changes,
      }),
    );
    return siteCluster(made, { ...place.cluster, ...more });
  };
  const bare = cluster([{ memoryMiB: place.tooMuchMemoryMiB }]);
  return {
    ...providerRuns({
      host,
      client,
      changing,
      clock,
      provider: (cuttable, hosts) =>
        proxmoxProvider({
          connect: async (each) => (each.name === unreachable.host.name ? unreachable.client : cuttable),
          slipway: "0.1.0",
        }).open(hosts),
    }),
    ...place.hands,
    host,
    cluster,
    unreachable: unreachable.host,
    cuts: { broken: [1, 2, 3, 4], stopped: [1, 2, 3], removal: [1, 2] },
    bad: {
      host: { ...host, proxmox: { ...host.proxmox, storage: { ...storage, disks: "nope" } } },
      cluster: { ...bare, network: { ...bare.network, bridge: "vmbr4094" } },
      codes: ["PVE_BRIDGE_MISSING", "PVE_MEMORY_SHORT", "PVE_STORAGE_MISSING"],
    },
    async identity(of, node) {
      const vmid = contractVmid(of, node);
      const { net0 = "", smbios1 = "" } = await client.machineConfig({ node: on, vmid });
      return [vmid, /([\dA-F]{2}:){5}[\dA-F]{2}/.exec(net0)?.[0] ?? "", smbios1].join(" ");
    },
    async putStranger(of, node, owner) {
      const mark = { cluster: owner ?? "", node, role: "worker" as const, image: "", slipway: "" };
      const vmid = contractVmid(of, node);
      const machine = {
        vmid,
        name: "precious",
        ...(owner !== undefined && { description: markText(mark), tags: `slipway;slipway-${owner}` }),
      };
      await client.createMachine(on, machine).then((task) => task.wait());
      // The order of the keys is not the server's to keep.
      return async () => {
        const config = Object.entries(await client.machineConfig({ node: on, vmid }));
        return JSON.stringify(config.toSorted(([a], [b]) => (a < b ? -1 : 1)));
      };
    },
    async removeByHand(of, node) {
      const machine = { node: on, vmid: contractVmid(of, node) };
      await client.stopMachine(machine).then((task) => task.wait());
      await client.removeMachine(machine).then((task) => task.wait());
    },
    [Symbol.asyncDispose]: () => place.close(),
  };
}

/** A simulated Proxmox, for what every provider must do. */
export async function proxmoxContractSite(): Promise<ContractSite> {
  const site = await proxmoxSite();
  const { client, clock } = site;
  const unreachable = siteHost("gone", "pve9", { url: "https://10.0.0.9:8006" });
  const nobody = connectProxmox({
    url: unreachable.proxmox.url,
    token: { id: "op@pve!main", secret: "none" },
    trust: { fingerprint: site.proxmox.fingerprint },
    dial: site.dial,
    clock,
  });
  const state = () => site.proxmox.state();
  const dataDisks = () => state().volumes.filter((volume) => volume.sizeBytes === 2 ** 30);
  return proxmoxContractOn({
    client,
    clock,
    host: siteHost("one", "pve1"),
    unreachable: { host: unreachable, client: nobody },
    firstVmid: 2000,
    network: "10.1.0",
    cluster: {},
    tooMuchMemoryMiB: 64 * 1024,
    hands: {
      session: async () => String(site.faults.seen.filter((call) => call.endsWith("/status/start")).length),
      async writeOnKept() {
        for (const volume of dataDisks()) volume.data = { files: "precious" };
      },
      isWritten: async (of, node) =>
        dataDisks().some(
          (volume) => volume.vmid === contractVmid(of, node) && volume.data?.["files"] === "precious",
        ),
      async listing() {
        const { vms, volumes } = state();
        return [...Object.keys(vms), ...volumes.map(({ storage, name }) => `${storage}:${name}`)].toSorted();
      },
    },
    async close() {
      nobody.close();
      await site[Symbol.asyncDispose]();
    },
  });
}
