import type { CloudConfig, NocloudSeed } from "../../../images/index.ts";
import { unlessEmpty } from "../../../lib/index.ts";
import type { PlacedNode } from "../../../plan/index.ts";
import {
  machineNameOf,
  nicsOf,
  hasGuests,
  type Cluster,
  type Hardware,
  type LibvirtHost,
  type GuestSystem,
  type Role,
} from "../../../spec/index.ts";
import { nicSource } from "../network/attachment.ts";
import type { MachineNic } from "./nics.ts";
import { machineUuid } from "../names.ts";

/** Enough to find a machine again. */
export interface MachineKey {
  host: string;
  cluster: string;
  node: string;
  /** What libvirt is to call it; absent: as it is, or by its cluster and its node. */
  name?: string | undefined;
  /** On its removal the data disks go too. */
  losesData?: boolean | undefined;
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
  nics: MachineNic[];
  seed: NocloudSeed;
  /** It is made with a seed that also carries the config of its node. */
  hasConfigSeed?: true | undefined;
  /** What that config is rendered from when the machine is made; only its distribution understands it. */
  firstConfig?: unknown;
  /** What the seed says of the first card, for people. */
  address: string;
  architecture: "x86_64" | "aarch64";
  isSecureBoot?: true | undefined;
  hardware?: Hardware | undefined;
  isProtected?: true | undefined;
  /** A system disk that was left when its machine was removed by hand is not for it. */
  isMadeAgain?: true | undefined;
  /** Hosts that are lost, where it is made again. */
  insteadOf?: string[] | undefined;
}

export interface DataDiskWant {
  sizeGiB: number;
  pool: string;
  for?: string | undefined;
  isDisposable?: true | undefined;
}

/** What the cluster file says about the machine of a node, in the provider's words. */
export function machineWant(
  cluster: Cluster,
  { node, host, isMadeAgain, insteadOf }: PlacedNode<LibvirtHost>,
  file: string,
): MachineWant {
  const { network, distribution } = cluster;
  const pool = host.libvirt.pool.name;
  return {
    host: host.name,
    cluster: cluster.name,
    node: node.name,
    ...(cluster.machineNames !== undefined && {
      name: machineNameOf(cluster, node.name, "{cluster}-{node}"),
    }),
    role: node.role,
    cores: node.cores,
    memoryMiB: node.memoryMiB,
    diskGiB: node.diskGiB,
    pool: node.storage ?? pool,
    dataDisks: node.dataDisks.map((disk) => ({
      sizeGiB: disk.sizeGiB,
      pool: disk.storage ?? pool,
      for: disk.for,
      isDisposable: disk.isDisposable,
    })),
    image: { pool, file },
    nics: nicsOf(cluster, node).map((nic, index) => ({
      mac: nic.mac.toLowerCase(),
      ...nicSource(cluster, index === 0 ? undefined : nic),
      vlan: nic.vlan,
      trunks: nic.trunks,
      mtu: nic.mtu,
    })),
    seed: seedOf(cluster, node),
    hasConfigSeed: distribution.firstContact === "seed" ? true : undefined,
    address: node.isDhcp ? "dhcp" : `${node.address}/${network.prefix} through ${network.gateway}`,
    architecture: distribution.architecture === "arm64" ? "aarch64" : "x86_64",
    isSecureBoot: distribution.isSecureBoot,
    hardware: node.hardware,
    isProtected: node.isProtected,
    isMadeAgain,
    insteadOf,
  };
}

/** The keys of the machine and of its cluster are added when it is made: no plan holds them. */
const firstSettings = (system: GuestSystem): CloudConfig => ({
  users: [
    {
      name: system.user,
      isAdmin: true,
      authorizedKeys: system.keys.flatMap((key) => ("text" in key ? [key.text] : [])),
    },
  ],
  timezone: system.timezone,
  packages: unlessEmpty(system.packages),
  files: unlessEmpty(system.files)?.flatMap((file) => ("content" in file ? [file] : [])),
  commands: unlessEmpty(system.commands),
});

/** Enough for the node to be reached; the rest it is told once it is. */
function seedOf(cluster: Cluster, node: PlacedNode["node"]): NocloudSeed {
  const { network } = cluster;
  const [, ...others] = nicsOf(cluster, node);
  return {
    instanceId: machineUuid(cluster.name, node.name),
    hostname: node.name,
    config: hasGuests(cluster) ? firstSettings(cluster.distribution) : undefined,
    links: [
      {
        mac: node.mac,
        ...(node.isDhcp
          ? { isDhcp: true }
          : { address: `${node.address}/${network.prefix}`, gateway: network.gateway }),
        dns: unlessEmpty(network.dns),
        searchDomains: network.searchDomains,
        mtu: network.mtu,
      },
      ...others.map(({ mac, address, mtu }) => ({
        mac,
        ...(address === "dhcp" ? { isDhcp: true } : address !== undefined && { address }),
        mtu,
      })),
    ],
  };
}
