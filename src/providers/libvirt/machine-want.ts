import type { CloudConfig, NocloudSeed } from "../../images/index.ts";
import type { PlacedNode } from "../../plan/index.ts";
import {
  cardsOf,
  hasGuests,
  type Cluster,
  type Hardware,
  type LibvirtHost,
  type GuestSystem,
  type Role,
} from "../../spec/index.ts";
import { cardSource } from "./attachment.ts";
import type { MachineCard } from "./machine-cards.ts";
import { machineUuid } from "./names.ts";

/** Enough to find a machine again. */
export interface MachineKey {
  host: string;
  cluster: string;
  node: string;
  /** On its removal the data disks go too. */
  losesData?: boolean;
}

export interface MachineWant extends MachineKey {
  role: Role;
  cores: number;
  memoryMiB: number;
  diskGiB: number;
  /** Of the system disk and of what the machine needs beside it. */
  pool: string;
  dataDisks: DataDiskWant[];
  image: { pool: string; file: string };
  cards: MachineCard[];
  seed: NocloudSeed;
  /** It is made with a seed that also carries the config of its node. */
  hasConfigSeed?: true;
  /** What the seed says of the first card, for people. */
  address: string;
  architecture: "x86_64" | "aarch64";
  isSecureBoot?: true;
  hardware?: Hardware;
  isProtected?: true;
}

export interface DataDiskWant {
  sizeGiB: number;
  pool: string;
  for?: string;
  isDisposable?: true;
}

/** What the cluster file says about the machine of a node, in the provider's words. */
export function machineWant(
  cluster: Cluster,
  { node, host }: PlacedNode<LibvirtHost>,
  file: string,
): MachineWant {
  const { network, distribution } = cluster;
  const pool = host.libvirt.pool.name;
  return {
    host: host.name,
    cluster: cluster.name,
    node: node.name,
    role: node.role,
    cores: node.cores,
    memoryMiB: node.memoryMiB,
    diskGiB: node.diskGiB,
    pool: node.storage ?? pool,
    dataDisks: node.dataDisks.map((disk) => ({
      sizeGiB: disk.sizeGiB,
      pool: disk.storage ?? pool,
      ...(disk.for !== undefined && { for: disk.for }),
      ...(disk.isDisposable && { isDisposable: disk.isDisposable }),
    })),
    image: { pool, file },
    cards: cardsOf(cluster, node).map((card, index) => ({
      mac: card.mac.toLowerCase(),
      ...cardSource(cluster, index === 0 ? undefined : card),
      ...(card.vlan !== undefined && { vlan: card.vlan }),
      ...(card.trunks && { trunks: card.trunks }),
      ...(card.mtu !== undefined && { mtu: card.mtu }),
    })),
    seed: seedOf(cluster, node),
    ...(distribution.kind === "talos" && distribution.firstContact === "seed" && { hasConfigSeed: true }),
    address: node.isDhcp ? "dhcp" : `${node.address}/${network.prefix} through ${network.gateway}`,
    architecture: distribution.architecture === "arm64" ? "aarch64" : "x86_64",
    ...(distribution.isSecureBoot && { isSecureBoot: true }),
    ...(node.hardware && { hardware: node.hardware }),
    ...(node.isProtected && { isProtected: true }),
  };
}

/** The keys of the machine and of its cluster are added when it is made: no plan holds them. */
const firstSettings = (linux: GuestSystem): CloudConfig => ({
  users: [
    {
      name: linux.user,
      isAdmin: true,
      authorizedKeys: linux.keys.flatMap((key) => ("text" in key ? [key.text] : [])),
    },
  ],
  ...(linux.timezone !== undefined && { timezone: linux.timezone }),
  ...(linux.packages.length > 0 && { packages: linux.packages }),
  ...(linux.files.length > 0 && {
    files: linux.files.flatMap((file) => ("content" in file ? [file] : [])),
  }),
  ...(linux.commands.length > 0 && { commands: linux.commands }),
});

/** Enough for the node to be reached; the rest it is told once it is. */
function seedOf(cluster: Cluster, node: PlacedNode["node"]): NocloudSeed {
  const { network } = cluster;
  const [, ...others] = cardsOf(cluster, node);
  return {
    instanceId: machineUuid(cluster.name, node.name),
    hostname: node.name,
    ...(hasGuests(cluster) && { config: firstSettings(cluster.distribution) }),
    links: [
      {
        mac: node.mac,
        ...(node.isDhcp
          ? { isDhcp: true }
          : { address: `${node.address}/${network.prefix}`, gateway: network.gateway }),
        ...(network.dns.length > 0 && { dns: network.dns }),
        ...(network.searchDomains && { searchDomains: network.searchDomains }),
        ...(network.mtu !== undefined && { mtu: network.mtu }),
      },
      ...others.map(({ mac, address, mtu }) => ({
        mac,
        ...(address === "dhcp" ? { isDhcp: true } : address !== undefined && { address }),
        ...(mtu !== undefined && { mtu }),
      })),
    ],
  };
}
