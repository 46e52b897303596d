import { rm } from "node:fs/promises";
import path from "node:path";
import { isProxmoxHost, type Cluster, type Fleet } from "../../../spec/index.ts";
import type { World } from "../../../world/index.ts";
import type { OpenRehearsal } from "../../rehearse.ts";
import { metalNotStruck, oneHostOnly } from "./errors.ts";

/** What may be lost in a rehearsal. */
export type Disaster = "lost-quorum" | "lost-host" | "lost-everything" | "lost-secrets";

/** What a disaster has taken, and what is left to go by. */
export interface Struck {
  /** In words: `the machines of cp-1 and cp-2`. */
  what: string;
  /** Hosts that do not come back. */
  lostHosts: string[];
  /** The database is gone with it, and has to come from a backup. */
  isDatabaseLost: boolean;
}

interface Site {
  rehearsal: OpenRehearsal;
  fleet: Fleet;
  cluster: Cluster;
  world: World;
}

/** Refuses before anything is made what could not be struck. */
export function demandStrikable(disaster: Disaster, { nodes, name, on }: Cluster): void {
  const metal = nodes.find(({ machine }) => machine !== undefined);
  if (metal && disaster !== "lost-secrets") throw metalNotStruck({ cluster: name, node: metal.name });
  if (disaster === "lost-host" && on.length < 2) throw oneHostOnly({ cluster: name, host: on[0] ?? "" });
}

/** Lets it happen, in the simulated datacenter. */
export async function strike(disaster: Disaster, site: Site): Promise<Struck> {
  const { cluster, world } = site;
  const controlPlanes = cluster.nodes.filter(({ role }) => role === "control-plane").map(({ name }) => name);
  if (disaster === "lost-host") return loseHost(site, controlPlanes);
  if (disaster === "lost-quorum") {
    const gone = controlPlanes.slice(0, Math.floor(controlPlanes.length / 2) + 1);
    await removeMachines(site, (node) => gone.includes(node));
    return { what: `the machines of ${gone.join(" and ")}`, lostHosts: [], isDatabaseLost: true };
  }
  await rm(path.join(world.folder, cluster.name), { recursive: true, force: true });
  if (disaster === "lost-secrets")
    return { what: `.slipway/${cluster.name} with all secrets`, lostHosts: [], isDatabaseLost: false };
  await removeMachines(site, () => true);
  return {
    what: `all ${cluster.nodes.length} machines, and .slipway/${cluster.name} with all secrets`,
    lostHosts: [],
    isDatabaseLost: true,
  };
}

/** Hypervisors say that a host is gone only when they have missed it for a while. */
const missedMs = 120_000;

/** The host that most of the cluster is on. */
async function loseHost(
  { rehearsal, fleet, cluster, world }: Site,
  controlPlanes: string[],
): Promise<Struck> {
  const hosts = fleet.hosts.filter(isProxmoxHost).filter(({ name }) => cluster.on.includes(name));
  const nodesOn = (place: string): string[] =>
    Object.values(rehearsal.datacenter.proxmox.state().vms)
      .filter((vm) => vm.node === place)
      .map((vm) => String(vm.config["name"]));
  const votesOn = (place: string): number =>
    nodesOn(place).filter((node) => controlPlanes.includes(node)).length;
  // Of equals the last: the first is often the one that all of them are reached through.
  const [host] = hosts
    .toReversed()
    .toSorted(
      (a, b) =>
        votesOn(b.proxmox.node) - votesOn(a.proxmox.node) ||
        nodesOn(b.proxmox.node).length - nodesOn(a.proxmox.node).length,
    );
  if (!host) throw new Error(`${cluster.name} is on no host`);
  const { node } = host.proxmox;
  const lost = nodesOn(node);
  const isDatabaseLost = votesOn(node) * 2 >= controlPlanes.length;
  await rehearsal.datacenter.proxmox.setNode(node, "off");
  await world.clock.sleep(missedMs);
  return { what: `host ${host.name} with ${lost.join(", ")}`, lostHosts: [host.name], isDatabaseLost };
}

async function removeMachines(
  { rehearsal, fleet, cluster, world }: Site,
  isGone: (node: string) => boolean,
): Promise<void> {
  const [host] = fleet.hosts.filter(isProxmoxHost).filter(({ name }) => cluster.on.includes(name));
  if (!host) throw new Error(`${cluster.name} is on no host`);
  const client = await world.openProxmox(host);
  for (const [vmid, vm] of Object.entries(rehearsal.datacenter.proxmox.state().vms)) {
    if (!isGone(String(vm.config["name"]))) continue;
    const machine = { node: vm.node, vmid: Number(vmid) };
    await (await client.stopMachine(machine, world.stop)).wait(world.stop);
    await (await client.removeMachine(machine, world.stop)).wait(world.stop);
  }
}
