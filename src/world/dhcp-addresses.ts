import { BlockList, isIPv4 } from "node:net";
import type { LibvirtClient } from "../clients/libvirt/index.ts";
import type { ProxmoxClient } from "../clients/proxmox/index.ts";
import { readJumpHostAddresses } from "./jump-host-addresses.ts";
import type { Clock, Dial } from "../lib/index.ts";
import type { FoundAddresses, Tell } from "../plan/index.ts";
import { findDhcpAddress as findOnLibvirt } from "../providers/libvirt/index.ts";
import { findDhcpAddress as findOnProxmox } from "../providers/proxmox/index.ts";
import {
  hasKnownAddress,
  isLibvirtHost,
  isProxmoxHost,
  type Cluster,
  type Fleet,
  type Host,
  type Jump,
  type LibvirtHost,
  type Node,
  type ProxmoxHost,
} from "../spec/index.ts";

export interface DhcpAddressesWorld {
  fleet: { clusters: readonly Cluster[]; hosts?: Fleet["hosts"] };
  openProxmox(host: ProxmoxHost): Promise<ProxmoxClient>;
  openLibvirt(host: LibvirtHost): Promise<LibvirtClient>;
  /** Runs a program on the last of these hosts. Absent: there are none in this world. */
  runOn?(jump: readonly Jump[], command: readonly string[]): Promise<string | undefined>;
  clock: Pick<Clock, "now">;
  tell: Tell;
}

export interface DhcpAddresses {
  /** The same address, or what the node of that name has been given; throws while it has none. */
  find(host: string): Promise<string>;
  /** Leads connections to nodes by name to the addresses they have. */
  leading(dial: Dial): Dial;
}

/** Hypervisors are not asked more often than this for the same node. */
const pauseMs = 1_000;

/** Addresses that DHCP servers give, asked for again on every run: nothing is kept that could grow old. */
export function dhcpAddresses(world: DhcpAddressesWorld): DhcpAddresses {
  const found = new Map<string, string>();
  const asked = new Map<string, { atMs: number; answer: Promise<string> }>();
  const wanted = new Map(
    world.fleet.clusters.flatMap((cluster) =>
      cluster.nodes.filter((node) => !hasKnownAddress(node)).map((node) => [node.address, { cluster, node }]),
    ),
  );

  async function ask(cluster: Cluster, node: Node): Promise<string> {
    const names = node.host === undefined ? cluster.on : [node.host];
    const hosts = (world.fleet.hosts ?? []).filter(({ name }) => names.includes(name));
    const heard = (
      await Promise.all([...hosts.map((host) => askHost(host, cluster, node)), askJumpHost(cluster, node)])
    ).flat();
    const [best] = heard.flatMap(({ by, addresses }) =>
      addresses.filter(fitsIn(cluster)).map((address) => ({ by, address })),
    );
    if (!best) throw new Error(notYet(cluster, heard));
    if (found.get(node.address) !== best.address)
      world.tell({ type: "log", level: "info", text: `${node.name} has ${best.address}, says ${best.by}` });
    found.set(node.address, best.address);
    return best.address;
  }

  async function askHost(host: Host, cluster: Cluster, node: Node): Promise<FoundAddresses[]> {
    const question = { cluster: cluster.name, node: node.name, mac: node.mac };
    if (isProxmoxHost(host)) return findOnProxmox(await world.openProxmox(host), question);
    return isLibvirtHost(host) ? findOnLibvirt(await world.openLibvirt(host), question) : [];
  }

  async function askJumpHost({ network: { jump = [] } }: Cluster, { mac }: Node): Promise<FoundAddresses[]> {
    const [last] = jump.slice(-1);
    const { runOn } = world;
    return last && runOn ? readJumpHostAddresses((command) => runOn(jump, command), last.host, mac) : [];
  }

  async function find(host: string): Promise<string> {
    const known = wanted.get(host);
    if (!known) return host;
    const before = asked.get(host);
    if (before && world.clock.now() - before.atMs < pauseMs) return before.answer;
    const answer = ask(known.cluster, known.node);
    asked.set(host, { atMs: world.clock.now(), answer });
    return answer;
  }

  return {
    find,
    leading: (dial) => async (to, signal) => {
      if (!wanted.has(to.host)) return dial(to, signal);
      const last = found.get(to.host);
      try {
        return await dial({ ...to, host: last ?? (await find(to.host)) }, signal);
      } catch (thrown) {
        // It may have another address by now; whoever tries again hears of it.
        found.delete(to.host);
        throw thrown;
      }
    },
  };
}

/** A node may have others: of pods, of other networks, and the one that control planes share. */
function fitsIn({ network }: Cluster): (address: string) => boolean {
  const [base = "", prefix] = network.cidr.split("/");
  const inside = new BlockList();
  inside.addSubnet(base, Number(prefix));
  return (address) => isIPv4(address) && inside.check(address) && address !== network.vip;
}

function notYet({ network }: Cluster, heard: FoundAddresses[]): string {
  const others = heard.flatMap(({ addresses }) => addresses.filter(isIPv4));
  if (others.length > 0) return `it has ${others.join(", ")}, none of them in ${network.cidr}`;
  const whom = heard.map(({ by }) => by).join(" and ");
  return whom === ""
    ? "there is no machine of this name and MAC address yet"
    : `no address from DHCP yet, says ${whom}`;
}
