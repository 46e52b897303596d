import type { ProxmoxReads } from "../../../clients/proxmox/index.ts";
import type { Asking, Discovered, DiscoveredNetwork, Discovery } from "../../../plan/index.ts";
import type { ProxmoxHost } from "../../../spec/index.ts";
import { noNodeOnline } from "../errors.ts";
import { askAccess, type Access, type DiscoveryWorld } from "./access.ts";
import { readNode, type FoundNode } from "./read-node.ts";
import { chooseStorages } from "./storages.ts";
import { askTrust } from "./trust.ts";

/** A Proxmox VE that no file names yet: where it is, whether it is the right one, who we are there, what it has. */
export const proxmoxDiscovery = (world: DiscoveryWorld): Discovery => ({
  kind: "proxmox" satisfies ProxmoxHost["provider"],
  label: "Proxmox VE",
  async discover(asking) {
    const url = urlOf(
      await asking.ask({
        key: "address",
        text: "Address of the host, or of any node of its cluster",
        refuse: (answer) => (isAddress(answer) ? undefined : "is not an address like 192.168.1.10"),
      }),
    );
    const trust = await askTrust(world, url, asking);
    const access = await askAccess(world, { url, trust }, asking);
    try {
      return await readSite(access, asking);
    } catch (thrown) {
      access.close();
      throw thrown;
    }
  },
});

const isAddress = (text: string): boolean => URL.canParse(urlOf(text)) && !/[\s/]/.test(bareOf(text));
const bareOf = (text: string): string =>
  text
    .trim()
    .replace(/^https?:\/\//, "")
    .replace(/\/+$/, "");

function urlOf(text: string): string {
  const bare = bareOf(text);
  return `https://${/:\d+$/.test(bare) ? bare : `${bare}:8006`}`;
}

async function readSite(access: Access, asking: Asking): Promise<Discovered> {
  const nodes = await readNodes(access.reads, asking);
  const names = nodes.map(({ node }) => node);
  const answer = await asking.ask({
    key: "hosts",
    text: "Nodes that get machines",
    proposal: names.join(","),
    isQuiet: names.length === 1,
    refuse: (given) => {
      const unknown = listed(given).find((name) => !names.includes(name));
      if (listed(given).length === 0) return `names none of ${names.join(", ")}`;
      return unknown === undefined ? undefined : `names "${unknown}"; there are ${names.join(", ")}`;
    },
  });
  const chosen = nodes.filter(({ node }) => listed(answer).includes(node));
  const storages = await chooseStorages(chosen, asking);
  const { fields, close, make } = access;
  return {
    hosts: chosen.map((node) => ({
      name: node.node,
      lines: ["proxmox:", ...[...fields(node), ...storages.lines].map((line) => `  ${line}`)],
      cores: node.cores,
      memoryFreeMiB: node.memoryFreeMiB,
      diskFreeGiB: storages.freeGiB(node),
    })),
    networks: sharedNetworks(chosen),
    taken: [...new Set(nodes.flatMap(({ taken }) => taken))],
    access: make,
    close,
  };
}

export const listed = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== "");

async function readNodes(reads: ProxmoxReads, asking: Asking): Promise<FoundNode[]> {
  const all = await reads.nodes(asking.signal);
  const online = all.filter(({ isOnline }) => isOnline);
  if (online.length === 0) throw noNodeOnline(all.map(({ node }) => node));
  const nodes = await Promise.all(online.map(({ node }) => readNode(reads, node, asking.signal)));
  for (const node of nodes) asking.found(nodeText(node));
  for (const { node, isOnline } of all) if (!isOnline) asking.found(`${node} is off, and is left out`);
  const vmids = (await reads.guests(asking.signal)).map(({ vmid }) => vmid);
  const isOne = vmids.length === 1;
  if (vmids.length > 0)
    asking.found(
      `VMID${isOne ? "" : "s"} ${spanOf(vmids)} ${isOne ? "is" : `hold ${vmids.length} machines and are`} left alone; yours are free ones`,
    );
  return nodes;
}

const nodeText = ({ node, version, cores, memoryFreeMiB, memoryMiB, storages }: FoundNode): string =>
  `${node}: Proxmox VE ${version}, ${cores} threads, ${gib(memoryFreeMiB)} of ${gib(memoryMiB)} GiB free, ` +
  `storages ${storages.map(({ name }) => name).join(", ")}`;

const gib = (mib: number): number => Math.floor(mib / 1024);

const spanOf = (numbers: number[]): string => {
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  return first === last ? String(first) : `${first} to ${last}`;
};

/** Those that all of them have: machines may go to any. The host's own network comes first. */
function sharedNetworks(nodes: FoundNode[]): DiscoveredNetwork[] {
  const [first, ...others] = nodes;
  const shared = (first?.networks ?? []).filter(({ name }) =>
    others.every(({ networks }) => networks.some((network) => network.name === name)),
  );
  return shared
    .map((network): DiscoveredNetwork => {
      const traits = [
        ...(network.cidr === undefined ? [] : [network.cidr]),
        ...(network.hasPort ? [] : ["leads nowhere outside of the host"]),
        ...(network.isVlanAware ? ["takes VLANs"] : []),
      ];
      return {
        name: network.name,
        label: [network.name, ...traits].join(", "),
        cidr: network.cidr,
        gateway: network.gateway,
        lines: [`bridge: ${network.name}`],
        takesVlans: network.isVlanAware || network.hasPort,
      };
    })
    .toSorted((one, other) => Number(other.cidr !== undefined) - Number(one.cidr !== undefined));
}
