import type { PlacedNode } from "../../plan/index.ts";
import { cardsOf, hasGuests, type Cluster, type GuestCluster, type ProxmoxHost } from "../../spec/index.ts";
import type { MachineWant } from "./machine-config.ts";
import { machineTags } from "./ownership.ts";

const agent = "qemu-guest-agent";

/** Whether the agent is in the system, or will be. */
export const hasGuestAgent = ({ distribution }: Pick<Cluster, "distribution">): boolean =>
  distribution.kind === "talos"
    ? distribution.extensions.includes(`siderolabs/${agent}`)
    : distribution.packages.includes(agent);

/** Whether new nodes are known by what they print on their serial console. */
export const readsConsole = ({ distribution }: Pick<Cluster, "distribution">): boolean =>
  distribution.kind === "talos" && distribution.firstContact === "console";

/** What the cluster file says about the machine of a node, in the provider's words. */
export function machineWant(
  cluster: Cluster,
  { node, host, vmid }: PlacedNode<ProxmoxHost>,
  file: string,
): MachineWant {
  const { network, distribution } = cluster;
  const { storage, pool } = host.proxmox;
  const nics = cardsOf(cluster, node).slice(1);
  return {
    host: host.name,
    vmid,
    cluster: cluster.name,
    node: node.name,
    role: node.role,
    cores: node.cores,
    memoryMiB: node.memoryMiB,
    diskGiB: node.diskGiB,
    dataDisks: node.dataDisks.map((disk) => ({
      sizeGiB: disk.sizeGiB,
      storage: disk.storage ?? storage.disks,
      ...(disk.for !== undefined && { for: disk.for }),
      ...(disk.isDisposable && { isDisposable: disk.isDisposable }),
    })),
    storage: node.storage ?? storage.disks,
    seedStorage: storage.cloudInit,
    image: { storage: storage.images, file },
    bridge: network.bridge,
    ...(network.vlan !== undefined && { vlan: network.vlan }),
    ...(network.trunks && { trunks: network.trunks }),
    ...(network.isFirewalled && { isFirewalled: network.isFirewalled }),
    mac: node.mac,
    ...(network.mtu !== undefined && { mtu: network.mtu }),
    ...(nics.length > 0 && { nics }),
    address: node.address,
    ...(node.isDhcp && { isDhcp: node.isDhcp }),
    prefix: network.prefix,
    gateway: network.gateway,
    dns: network.dns,
    tags: machineTags(cluster.name, cluster.tags),
    ...(pool !== undefined && { pool }),
    hasAgent: hasGuestAgent(cluster),
    ...(hasGuests(cluster) && loginOf(cluster)),
    ...(distribution.architecture === "arm64" && { architecture: distribution.architecture }),
    ...(distribution.isSecureBoot && { isSecureBoot: true }),
    ...(node.hardware && { hardware: node.hardware }),
    ...(node.isProtected && { isProtected: node.isProtected }),
  };
}

/** Who logs in on machines from cloud images; the cluster's own key is added when they are made: no plan holds it. */
const loginOf = ({ distribution, network }: GuestCluster): Pick<MachineWant, "login" | "searchDomains"> => ({
  login: {
    user: distribution.user,
    keys: distribution.keys.flatMap((key) => ("text" in key ? [key.text] : [])),
  },
  ...(network.searchDomains && { searchDomains: network.searchDomains }),
});
