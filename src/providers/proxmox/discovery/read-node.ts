import type { MachineSummary, Network, ProxmoxReads, StorageInfo } from "../../../clients/proxmox/index.ts";
import { Semaphore } from "../../../lib/index.ts";

/** A node as it is before anything of ours is on it. */
export interface FoundNode {
  node: string;
  version: string;
  cores: number;
  memoryMiB: number;
  /** Neither used now nor promised to machines that run. */
  memoryFreeMiB: number;
  storages: StorageInfo[];
  networks: Network[];
  /** Its own addresses, and those that machines on it are told to have. */
  taken: string[];
}

const readsAtOnce = 16;

export async function readNode(reads: ProxmoxReads, node: string, signal: AbortSignal): Promise<FoundNode> {
  const [status, storages, networks, machines] = await Promise.all([
    reads.nodeStatus(node, signal),
    reads.storages(node, signal),
    reads.networks(node, signal),
    reads.machines(node, signal),
  ]);
  const { version, cores, memoryMiB, memoryUsedMiB } = status;
  const promisedMiB = machines
    .filter(({ isRunning }) => isRunning)
    .reduce((sum, machine) => sum + machine.memoryMiB, 0);
  return {
    ...{ node, version, cores, memoryMiB, networks },
    memoryFreeMiB: Math.max(0, memoryMiB - Math.max(memoryUsedMiB, promisedMiB)),
    storages: storages.filter(({ isActive }) => isActive),
    taken: [
      ...networks.flatMap(({ cidr, gateway }) => [cidr?.split("/")[0] ?? [], gateway ?? []].flat()),
      ...(await configuredAddresses(reads, node, machines, signal)),
    ],
  };
}

/** What cloud-init gives machines; an address that was typed into a guest is seen only when it answers. */
async function configuredAddresses(
  reads: ProxmoxReads,
  node: string,
  machines: MachineSummary[],
  signal: AbortSignal,
): Promise<string[]> {
  const places = new Semaphore(readsAtOnce);
  const configs = await Promise.all(
    machines.map(({ vmid }) =>
      places.use(() => reads.machineState({ node, vmid }, signal).catch(() => undefined)),
    ),
  );
  signal.throwIfAborted();
  return configs.flatMap((state) =>
    Object.entries(state?.next ?? {})
      .filter(([key]) => /^ipconfig\d+$/.test(key))
      .flatMap(([, value]) => /(?:^|,)ip=([\d.]+)/.exec(value)?.[1] ?? []),
  );
}
