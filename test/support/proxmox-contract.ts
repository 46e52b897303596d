import { connectProxmox } from "../../src/clients/proxmox/index.ts";
import type { ContractSite } from "../../src/providers/contract.ts";
import { proxmoxProvider } from "../../src/providers/proxmox/index.ts";
import { markText } from "../../src/providers/proxmox/ownership.ts";
import type { Cluster, Node } from "../../src/spec/index.ts";
import { providerRuns } from "./provider-runs.ts";
import { proxmoxSite, siteCluster, siteHost, siteNode, siteStorages } from "./proxmox-site.ts";

const changing = /^(create|change|resize|move|start|stop|shutdown|remove|give|download|release)/;

/** A simulated Proxmox, for what every provider must do. */
export async function proxmoxContractSite(): Promise<ContractSite> {
  const site = await proxmoxSite({ speed: 100 });
  const { client, clock } = site;
  const host = siteHost("one", "pve1");
  const silent = siteHost("gone", "pve9", { url: "https://10.0.0.9:8006" });
  const nobody = connectProxmox({
    url: silent.proxmox.url,
    token: { id: "op@pve!main", secret: "none" },
    trust: { fingerprint: site.proxmox.fingerprint },
    dial: site.dial,
    clock,
  });
  const state = () => site.proxmox.state();
  const vmidOf = (cluster: Cluster, node: string): number =>
    cluster.nodes.find((each) => each.name === node)?.vmid ?? 0;
  const dataDisks = () => state().volumes.filter((volume) => volume.sizeBytes === 2 ** 30);
  const cluster: ContractSite["cluster"] = (nodes, more = {}) => {
    const first = more.name === undefined ? 2000 : 2500;
    const made = nodes.map((changes, index): Node =>
      siteNode(`cp-${index + 1}`, {
        address: `10.1.0.${11 + index}`,
        mac: `02:aa:bb:cc:dd:${10 + index}`,
        vmid: first + index,
        cores: 1,
        memoryMiB: 32,
        diskGiB: 2,
        ...changes,
      }),
    );
    return siteCluster(made, more);
  };
  const bare = cluster([{ memoryMiB: 64 * 1024 }]);
  return {
    ...providerRuns({
      host,
      client,
      changing,
      clock,
      provider: (cuttable) =>
        proxmoxProvider({
          connect: async (each) => (each.name === "gone" ? nobody : cuttable),
          slipway: "0.1.0",
        }),
    }),
    host,
    cluster,
    silent,
    cuts: { broken: [1, 2, 3, 4], stopped: [1, 2, 3], removal: [1, 2] },
    bad: {
      host: siteHost("one", "pve1", { storage: siteStorages({ disks: "nope" }) }),
      cluster: { ...bare, network: { ...bare.network, bridge: "vmbr9" } },
      codes: ["PVE_BRIDGE_MISSING", "PVE_MEMORY_SHORT", "PVE_STORAGE_MISSING"],
    },
    async identity(of, node) {
      const vmid = vmidOf(of, node);
      const { net0 = "", smbios1 = "" } = await client.machineConfig({ node: "pve1", vmid });
      return [vmid, /([\dA-F]{2}:){5}[\dA-F]{2}/.exec(net0)?.[0] ?? "", smbios1].join(" ");
    },
    session: async () => String(site.faults.seen.filter((call) => call.endsWith("/status/start")).length),
    async putStranger(of, node, owner) {
      const mark = { cluster: owner ?? "", node, role: "worker" as const, image: "", slipway: "" };
      const vmid = vmidOf(of, node);
      const machine = {
        vmid,
        name: "precious",
        ...(owner !== undefined && { description: markText(mark), tags: `slipway;slipway-${owner}` }),
      };
      await client.createMachine("pve1", machine).then((task) => task.wait());
      return async () => JSON.stringify(state().vms[vmid]);
    },
    async removeByHand(of, node) {
      const machine = { node: "pve1", vmid: vmidOf(of, node) };
      await client.stopMachine(machine).then((task) => task.wait());
      await client.removeMachine(machine).then((task) => task.wait());
    },
    async writeOnKept() {
      for (const volume of dataDisks()) volume.data = { files: "precious" };
    },
    isWritten: async (of, node) =>
      dataDisks().some((volume) => volume.vmid === vmidOf(of, node) && volume.data?.["files"] === "precious"),
    async listing() {
      const { vms, volumes } = state();
      return [...Object.keys(vms), ...volumes.map(({ storage, name }) => `${storage}:${name}`)].toSorted();
    },
    async [Symbol.asyncDispose]() {
      nobody.close();
      await site[Symbol.asyncDispose]();
    },
  };
}
