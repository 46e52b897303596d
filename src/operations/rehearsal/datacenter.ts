import type { Random } from "../../lib/index.ts";
import { parseDatacenter, type DatacenterFile } from "../../sim/index.ts";
import {
  bridgesOf,
  addonWith,
  hasKnownAddress,
  isProxmoxHost,
  type Fleet,
  type Host,
} from "../../spec/index.ts";
import { rehearsalLibvirt } from "./libvirt.ts";
import { rehearsalMetal } from "./metal.ts";
import { rehearsalSources, sharedInRehearsal } from "./boot-sources.ts";

/** A datacenter that fits a fleet: its hosts, storages and bridges by name, each with room to spare. */
export function rehearsalDatacenter(fleet: Fleet, random: Random): DatacenterFile {
  const hosts = fleet.hosts.filter(isProxmoxHost);
  const memoryGiB = Math.max(64, ...hosts.map((host) => memoryNeededGiB(fleet, host) * 2));
  const bridges = Object.fromEntries(
    fleet.clusters.flatMap(bridgesOf).map((name) => [name, { isVlanAware: true }]),
  );
  const nodes = [...new Set(hosts.map((host) => host.proxmox.node))];
  const sources = rehearsalSources(fleet);
  const shared = sharedInRehearsal(fleet);
  const images = new Set([
    ...hosts.flatMap(({ proxmox: { storage } }) => [storage.images, storage.isos]),
    ...sources.images.filter((image) => image.file.startsWith("iso/")).map((image) => image.storage),
  ]);
  const disks = new Set([
    ...hosts.flatMap(({ proxmox: { storage } }) => [storage.disks, storage.templates, storage.cloudInit]),
    ...fleet.clusters.flatMap((cluster) =>
      cluster.nodes.flatMap((node) => [node, ...node.dataDisks].flatMap(({ storage }) => storage ?? [])),
    ),
  ]);
  const backups = new Set(fleet.clusters.flatMap(({ machineBackups }) => machineBackups?.storage ?? []));
  const tokens = [...new Set(hosts.map((host) => host.proxmox.token.id))];
  const users = [...new Set(tokens.map((token) => token.split("!")[0] ?? token))];
  const description = {
    nodes: Object.fromEntries(nodes.map((node) => [node, { cores: 64, memory: `${memoryGiB}GiB`, bridges }])),
    storages: Object.fromEntries(
      [...images, ...disks, ...backups].map((name) => [
        name,
        {
          type: typeIn({ images, disks, backups }, name),
          size: "100TiB",
          shared: shared.has(name) || undefined,
          content: [
            ...(images.has(name) ? ["iso", "vztmpl", "import"] : []),
            ...(images.has(name) || backups.has(name) ? ["backup"] : []),
            ...(disks.has(name) ? ["images", "rootdir"] : []),
          ],
        },
      ]),
    ),
    ...sources,
    networks: dhcpNetworks(fleet),
    libvirt: rehearsalLibvirt(fleet, (host) => memoryNeededGiB(fleet, host)),
    metal: rehearsalMetal(fleet),
    names: managerNames(fleet),
    users: Object.fromEntries(users.map((user) => [user, {}])),
    acl: users.map((user) => ({ path: "/", role: "Administrator", user })),
    tokens: Object.fromEntries(tokens.map((token) => [token, { secret: uuid(random), privsep: false }])),
  };
  // JSON is YAML, so the one reader of datacenter files also checks this one.
  return parseDatacenter(JSON.stringify(description), "rehearsal");
}

/** A storage for backups alone is a server for them, as people have it who need one. */
function typeIn(
  { images, disks, backups }: Record<"images" | "disks" | "backups", ReadonlySet<string>>,
  name: string,
): "dir" | "lvmthin" | "pbs" {
  if (images.has(name)) return "dir";
  if (!disks.has(name)) return "pbs";
  return backups.has(name) ? "dir" : "lvmthin";
}

/** Where its nodes answer: at the URLs of the file, and those without one at an address of their own. */
export function rehearsalEntries(fleet: Fleet): { node: string; host: string; port: number }[] {
  const hosts = fleet.hosts.filter(isProxmoxHost).map(({ proxmox }) => proxmox);
  const urls = hosts.map(({ url }) => new URL(url));
  const written = hosts.flatMap(({ node }, index) => {
    const url = urls[index];
    if (!url || urls.findIndex(({ host }) => host === url.host) < index) return [];
    return [{ node, host: url.hostname, port: Number(url.port || 443) }];
  });
  const known = new Set(written.map(({ node }) => node));
  const others = [...new Set(hosts.map(({ node }) => node))].filter((node) => !known.has(node));
  return [
    ...written,
    ...others.map((node, index) => ({ node, host: unusedAddress(index), port: proxmoxPort })),
  ];
}

const proxmoxPort = 8006;

/** Of the range for benchmarks, in which no file has its own. */
const unusedAddress = (index: number): string => `198.18.${index >> 8}.${index & 255}`;

/** A DHCP server for every cluster that asks one, with the addresses and names its file expects. */
function dhcpNetworks(fleet: Fleet): Record<string, unknown> {
  const byName = new Map<string, { cidr: string; reservations: Record<string, unknown> }>();
  for (const { network, nodes } of fleet.clusters) {
    const name = network.vlan === undefined ? network.bridge : `${network.bridge}.${network.vlan}`;
    for (const node of nodes.filter(({ isDhcp }) => isDhcp)) {
      const known = byName.get(name) ?? { cidr: network.cidr, reservations: {} };
      if (hasKnownAddress(node))
        known.reservations[node.mac] = { address: node.address, hostname: node.name };
      byName.set(name, known);
    }
  }
  return Object.fromEntries(
    [...byName].map(([name, { cidr, reservations }]) => [
      name,
      { cidr, dhcp: { range: rangeIn(cidr), reservations } },
    ]),
  );
}

/** DNS as the user will have set it up: names that other clusters register with lead where the file says, else to its cluster's control planes. */
function managerNames({ clusters }: Fleet): Record<string, string> {
  const written = clusters.flatMap(({ network }) => Object.entries(network.hosts ?? {}));
  const found = clusters.flatMap((cluster): [string, string][] => {
    const hostname = addonWith(cluster, "managesClusters")?.facts.managesClusters?.hostname;
    if (hostname === undefined) return [];
    const first = cluster.nodes.find((node) => node.role === "control-plane" && hasKnownAddress(node));
    const said = written.find(([, names]) => names.includes(hostname))?.[0];
    const address = said ?? cluster.network.vip ?? first?.address;
    return address === undefined ? [] : [[hostname, address]];
  });
  return Object.fromEntries(found);
}

/** For nodes whose addresses the file does not say: the upper end, where files rarely put any. */
function rangeIn(cidr: string): [string, string] {
  const [base = "", prefix] = cidr.split("/");
  const first = base.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const last = first + 2 ** (32 - Number(prefix)) - 2;
  const write = (address: number): string =>
    [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");
  return [write(last - Math.floor((last - first) / 4)), write(last)];
}

/** As much as all clusters that may land on the host could want of it. */
const memoryNeededGiB = (fleet: Fleet, host: Host): number => {
  const nodes = fleet.clusters
    .filter((cluster) => cluster.on.includes(host.name))
    .flatMap((cluster) => cluster.nodes);
  return Math.ceil(nodes.reduce((sum, node) => sum + node.memoryMiB, 0) / 1024);
};

const uuid = (random: Random): string =>
  random
    .bytes(16)
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
