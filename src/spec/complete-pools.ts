import {
  countedFrom,
  defaultFirstAddress,
  macCountedFrom,
  nodeMac,
  nodeNumbers,
  resolveAddress,
} from "./addresses.ts";
import type { WrittenCluster } from "./cluster-schema.ts";
import { completeNics, completeVlans } from "./complete-links.ts";
import { nodeTalos } from "./complete-talos.ts";
import { completePatches } from "./patches.ts";
import type { PoolDraft } from "./draft.ts";
import { given } from "./given.ts";
import { type Cidr, formatIpv4 } from "./ipv4.ts";
import type { LocatedDocument } from "./located-document.ts";
import { completeHardware } from "./machine-schema.ts";
import type { DataDisk, Node, Role } from "./model.ts";
import { poolFieldNames, type WrittenNode, type WrittenPool } from "./pool-schema.ts";
import { fromDhcp, nameOfLater } from "./later-address.ts";
import { toGiB, toMiB } from "./sizes.ts";
import type { Path } from "./text-places.ts";
import { isRecord } from "./value-at.ts";

interface Owner {
  cluster: string;
  written: WrittenCluster;
  document: LocatedDocument;
  path: Path;
  cidr: Cidr;
}

interface PoolShape {
  name: string;
  role: Role;
  /** What the names of its nodes begin with. */
  prefix: string;
  written: WrittenPool;
  path: Path;
  /** Among the pools of its role. */
  order: number;
}

const gib = 2 ** 30;

/** What a careful person would give a node of this role. */
export const roleDefaults: Record<Role, { cores: number; memory: number; disk: number }> = {
  "control-plane": { cores: 2, memory: 4 * gib, disk: 20 * gib },
  worker: { cores: 4, memory: 8 * gib, disk: 50 * gib },
};

/** The pools of a cluster, control planes first, each with its nodes in the order of their numbers. */
export function completePools(owner: Owner): PoolDraft[] {
  const controlPlanes: PoolShape = {
    name: "control-planes",
    role: "control-plane",
    prefix: "cp",
    written: owner.written.controlPlanes,
    path: [...owner.path, "controlPlanes"],
    order: 0,
  };
  const { written, document, path } = owner;
  // Plain machines need no control plane; what is not said is not there.
  const hasControlPlanes = !written.linux || document.mapKeys(path).includes("controlPlanes");
  return [...(hasControlPlanes ? [controlPlanes] : []), ...workerPools(owner)].map((shape) => ({
    name: shape.name,
    role: shape.role,
    written: shape.written,
    path: shape.path,
    nodes: completeNodes(owner, shape),
    places: new Map(),
  }));
}

function workerPools({ written: { workers }, path }: Owner): PoolShape[] {
  const worker = (
    name: string,
    prefix: string,
    written: WrittenPool,
    at: Path,
    order: number,
  ): PoolShape => ({
    name,
    role: "worker",
    prefix,
    written,
    path: [...path, "workers", ...at],
    order,
  });
  if (workers === undefined) return [];
  if (Array.isArray(workers)) return workers.map((pool, i) => worker(pool.name, pool.name, pool, [i], i));
  if (isOnePool(workers)) return [worker("workers", "worker", workers, [], 0)];
  return Object.entries(workers).map(([name, pool], i) => worker(name, name, pool, [name], i));
}

/** Once read, a single pool always has a count; in a map of pools that name would hold a map. */
const isOnePool = (workers: WrittenPool | Record<string, WrittenPool>): workers is WrittenPool =>
  !isRecord(workers["count"]) && Object.keys(workers).some((name) => poolFieldNames.has(name));

function completeNodes(owner: Owner, shape: PoolShape): Node[] {
  const { written, role, order } = shape;
  const first =
    written.address === undefined
      ? defaultFirstAddress(owner.cidr, role, order)
      : resolveAddress(owner.cidr, written.address);
  const poolPatches = completePatches(written.patches, owner.document, [...shape.path, "patches"]);
  const poolPlace = owner.document.locateKey(shape.path);
  return nodeNumbers(written.count, written.skip).map((number): Node => {
    const name = `${shape.prefix}-${number}`;
    const own = Object.hasOwn(written.nodes, name) ? written.nodes[name] : undefined;
    const ownPath = [...shape.path, "nodes", name];
    const ownPatches = completePatches(own?.patches ?? [], owner.document, [...ownPath, "patches"]);
    const host = own?.on ?? written.on;
    // What a node says itself is not counted up from the pool's first.
    const linksOf = (ownLinks: unknown) => ({
      cluster: owner.cluster,
      pool: shape.name,
      index: number,
      number: ownLinks === undefined ? number : 1,
    });
    const isLater = (own?.address ?? written.address) === fromDhcp;
    const vmid = own?.vmid ?? (written.vmid === undefined ? undefined : countedFrom(written.vmid, number));
    return {
      name,
      role,
      pool: shape.name,
      index: number,
      ...machineOf(role, written, own),
      address: isLater
        ? nameOfLater(owner.cluster, name)
        : nodeAddress(owner.cidr, own?.address, first, number),
      mac:
        own?.mac ??
        (written.mac === undefined
          ? nodeMac(owner.cluster, shape.name, number)
          : macCountedFrom(written.mac, number)),
      ...(vmid !== undefined && { vmid }),
      ...(host !== undefined && { host }),
      patches: ownPatches.length > 0 ? [...poolPatches, ...ownPatches] : poolPatches,
      labels: { ...written.labels, ...own?.labels },
      taints: { ...written.taints, ...own?.taints },
      ...given({
        annotations:
          written.annotations || own?.annotations
            ? { ...written.annotations, ...own?.annotations }
            : undefined,
        storage: own?.storage ?? written.storage,
        hardware: completeHardware(own?.hardware, written.hardware, owner.written.hardware),
        isProtected: (own?.protect ?? written.protect ?? owner.written.protect) ? (true as const) : undefined,
        talos: nodeTalos(own?.talos, written.talos, owner.written.talos),
        isDhcp:
          isLater || (own?.dhcp ?? written.dhcp ?? owner.written.network.dhcp) ? (true as const) : undefined,
        vlans: completeVlans(own?.vlans ?? written.vlans, linksOf(own?.vlans)),
        nics: completeNics(own?.nics ?? written.nics, linksOf(own?.nics)),
      }),
      at: own ? owner.document.locateKey(ownPath) : poolPlace,
    };
  });
}

function machineOf(role: Role, pool: WrittenPool, own: WrittenNode | undefined) {
  const initial = roleDefaults[role];
  return {
    cores: own?.cores ?? pool.cores ?? initial.cores,
    memoryMiB: toMiB(own?.memory ?? pool.memory ?? initial.memory),
    diskGiB: toGiB(own?.disk ?? pool.disk ?? initial.disk),
    dataDisks: (own?.dataDisks ?? pool.dataDisks ?? []).map((disk): DataDisk => {
      const { for: purpose, storage, keep } = disk;
      return {
        sizeGiB: toGiB(disk.size),
        ...(purpose !== undefined && { for: purpose }),
        ...(storage !== undefined && { storage }),
        ...(!keep && { isDisposable: true }),
      };
    }),
  };
}

/** Without any first address the check of pools speaks up; the node then stands outside every network. */
function nodeAddress(cidr: Cidr, own: string | undefined, first: number | undefined, number: number): string {
  if (own !== undefined) return formatIpv4(resolveAddress(cidr, own) ?? 0);
  return formatIpv4(first === undefined ? 0 : countedFrom(first, number));
}
