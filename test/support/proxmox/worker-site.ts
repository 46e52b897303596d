import type { GraphNode, Provider } from "../../../src/plan/index.ts";
import type { MachineHave, MachineWant } from "../../../src/providers/proxmox/machine/machine-want.ts";
import type { FaultKind } from "../../../src/sim/index.ts";
import type { Node } from "../../../src/spec/index.ts";
import {
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNeeds,
  siteNode,
  type ProxmoxSite,
  type ProxmoxSiteOptions,
} from "./site.ts";

export const one = siteHost("one", "pve1");
export const vmid = 3000;
export const keptDisksMachine = 9200;
const withData: Partial<Node> = { dataDisks: [{ sizeGiB: 5, for: "longhorn" }, { sizeGiB: 3 }] };
export const worker = (more: Partial<Node> = withData): Node => siteNode("worker-1", more);

/** The machine of one worker, as the file has it. */
export async function wanted(site: ProxmoxSite, node = worker(), provider: Provider = site.provider) {
  const survey = await provider.survey(site.ctx, [one]);
  const graph = provider.describe(siteCluster([node]), [{ node, host: one, id: vmid }], siteNeeds(survey));
  const find = (kind: string) => graph.find((each) => each.kind === kind) as GraphNode<MachineWant>;
  return { image: find("proxmox/image"), machine: find("proxmox/machine") };
}

export async function made(options: ProxmoxSiteOptions = {}, node = worker()): Promise<ProxmoxSite> {
  const site = await proxmoxSite(options);
  const { image, machine } = await wanted(site, node);
  await site.resource("proxmox/image").create(site.ctx, image.want);
  await site.resource("proxmox/machine").create(site.ctx, machine.want);
  return site;
}

export async function remove(site: ProxmoxSite, more: Partial<MachineHave> = {}): Promise<void> {
  const provider = site.freshProvider();
  await provider.survey(site.ctx, [one]);
  const resource = site.resource("proxmox/machine", provider);
  const key = { host: "one", vmid, cluster: "lab", node: "worker-1", ...more };
  const have = await resource.read(site.ctx, key);
  if (have !== undefined) await resource.remove(site.ctx, have);
}

export const config = (site: ProxmoxSite, id: number) => site.proxmox.state().vms[id]?.config;
export const volumes = (site: ProxmoxSite) =>
  site.proxmox
    .state()
    .volumes.filter((volume) => volume.vmid !== undefined)
    .map((volume) => `${volume.vmid} ${volume.sizeBytes / 1024 ** 3}`)
    .toSorted();

/** From now on, the given call of its kind goes wrong once. */
export function strike(site: ProxmoxSite, call: RegExp, nth: number, kind: FaultKind): void {
  const next = site.faults.next.bind(site.faults);
  let count = 0;
  site.faults.next = (name) => {
    const usual = next(name);
    if (!call.test(name)) return usual;
    count += 1;
    return count === nth ? kind : usual;
  };
}
