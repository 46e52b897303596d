import type { MachineChange } from "../../../src/clients/proxmox/index.ts";
import type { MachineHave, MachineWant } from "../../../src/providers/proxmox/machine/machine-want.ts";
import { siteCluster, siteHost, siteNeeds, siteNode, type ProxmoxSite } from "./site.ts";

export const machine = { node: "pve1", vmid: 2000 };

/** A machine that runs, and what can be done with it. */
export async function running(site: ProxmoxSite, more: Partial<MachineWant> = {}) {
  const node = siteNode("cp-1", { dataDisks: [{ sizeGiB: 5 }] });
  const placed = [{ node, host: siteHost("one", "pve1"), id: machine.vmid }];
  const [image, described] = site.provider.describe(siteCluster([node]), placed, siteNeeds());
  await site.resource("proxmox/image").create(site.ctx, image?.want);
  const want = { ...(described?.want as MachineWant), ...more };
  const resource = site.resource("proxmox/machine");
  await resource.create(site.ctx, want);
  const read = () => resource.read(site.ctx, want) as Promise<MachineHave>;
  return {
    want,
    read,
    compare: async (wanted = want) => resource.compare(wanted, await read()),
    update: async (wanted = want) => resource.update(site.ctx, wanted, await read()),
    /** As somebody would in the web page. */
    byHand: async (change: MachineChange) => (await site.client.changeMachine(machine, change)).wait(),
    config: () => site.client.machineConfig(machine),
    restarts: () => site.faults.seen.filter((call) => call.endsWith("/status/shutdown")).length,
  };
}
