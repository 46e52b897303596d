import {
  countedFrom,
  defaultFirstAddress,
  macCountedFrom,
  nodeMac,
  nodeNumbers,
  resolveAddress,
} from "../values/addresses.ts";
import type { WrittenCluster } from "../schema/cluster.ts";
import { completeNics, completeVlans } from "./links.ts";
import { nodeTalos } from "./talos.ts";
import { completePatches } from "./patches.ts";
import type { Position } from "../../errors/index.ts";
import type { ClusterDraft, PoolDraft } from "./draft.ts";
import { given } from "../../lib/index.ts";
import { type Cidr, formatIpv4 } from "../values/ipv4.ts";
import type { LocatedDocument } from "../source/located-document.ts";
import { completeHardware } from "../schema/machine.ts";
import type { DataDisk, Node, Role } from "../model/cluster.ts";
import type { WrittenNode, WrittenPool } from "../schema/pool.ts";
import { fromDhcp, dhcpName } from "../model/dhcp-address.ts";
import { chosenMachines, type MachineAtHand } from "./existing.ts";
import { nameInSeries, type NameSeries } from "../values/name-series.ts";
import { toGiB, toMiB } from "../values/sizes.ts";
import type { Path } from "../source/positions.ts";

interface Owner {
  cluster: string;
  written: WrittenCluster;
  document: LocatedDocument;
  path: Path;
  cidr: Cidr;
  /** That it may choose from. */
  machines: MachineAtHand[];
}

interface PoolShape {
  name: string;
  role: Role;
  names: NameSeries;
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
    names: owner.written.controlPlanes.names ?? countedAs("cp"),
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

/** `cp-1`, `cp-2`: what a pool that says nothing calls its nodes. */
const countedAs = (prefix: string): NameSeries => ({ before: `${prefix}-`, first: 1, digits: 1 });

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
    names: written.names ?? countedAs(prefix),
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
  typeof workers["count"] === "number";

function completeNodes(owner: Owner, shape: PoolShape): Node[] {
  const { written, role, order } = shape;
  const first =
    written.address === undefined
      ? defaultFirstAddress(owner.cidr, role, order)
      : resolveAddress(owner.cidr, written.address);
  const poolPatches = completePatches(written.patches, owner.document, [...shape.path, "patches"]);
  const poolPlace = owner.document.locateKey(shape.path);
  const chosen =
    written.machines && chosenMachines(owner.machines, written.machines, countSaid(owner, shape));
  const numbers = chosen ? chosen.map((_, index) => index + 1) : nodeNumbers(written.count, written.skip);
  return numbers.map((number): Node => {
    const found = chosen?.[number - 1];
    const name = found?.machine.name ?? nameInSeries(shape.names, number);
    const own = Object.hasOwn(written.nodes, name) ? written.nodes[name] : undefined;
    const ownPath = [...shape.path, "nodes", name];
    const ownPatches = completePatches(own?.patches ?? [], owner.document, [...ownPath, "patches"]);
    const host = found?.host ?? own?.on ?? written.on;
    // What a node says itself is not counted up from the pool's first.
    const linksOf = (ownLinks: unknown) => ({
      cluster: owner.cluster,
      pool: shape.name,
      index: number,
      number: ownLinks === undefined ? number : 1,
    });
    const isFromDhcp = (own?.address ?? written.address) === fromDhcp;
    const vmid = own?.vmid ?? (written.vmid === undefined ? undefined : countedFrom(written.vmid, number));
    return {
      name,
      role,
      pool: shape.name,
      index: number,
      ...machineOf(role, written, own),
      address:
        found?.machine.address ??
        (isFromDhcp ? dhcpName(owner.cluster, name) : nodeAddress(owner.cidr, own?.address, first, number)),
      mac:
        found?.machine.mac ??
        own?.mac ??
        (written.mac === undefined
          ? nodeMac(owner.cluster, shape.name, number)
          : macCountedFrom(written.mac, number)),
      ...given({ vmid, host }),
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
        machine: found?.machine,
        isDhcp:
          isFromDhcp || (own?.dhcp ?? written.dhcp ?? owner.written.network.dhcp)
            ? (true as const)
            : undefined,
        vlans: completeVlans(own?.vlans ?? written.vlans, linksOf(own?.vlans)),
        nics: completeNics(own?.nics ?? written.nics, linksOf(own?.nics)),
      }),
      at: own ? owner.document.locateKey(ownPath) : poolPlace,
    };
  });
}

/** A number that nobody wrote is no wish. */
const countSaid = ({ document }: Owner, { path, written }: PoolShape): number | undefined =>
  document.mapKeys(path).includes("count") ? written.count : undefined;

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
        ...given({ for: purpose, storage, isDisposable: keep ? undefined : (true as const) }),
      };
    }),
  };
}

/** Without any first address the check of pools speaks up; the node then stands outside every network. */
function nodeAddress(cidr: Cidr, own: string | undefined, first: number | undefined, number: number): string {
  if (own !== undefined) return formatIpv4(resolveAddress(cidr, own) ?? 0);
  return formatIpv4(first === undefined ? 0 : countedFrom(first, number));
}

/** The place that decides a field of a node: its own, else the pool's, else the pool itself. */
export function nodePlace(
  draft: ClusterDraft,
  pool: PoolDraft,
  node: Node,
  name: keyof WrittenPool,
): Position {
  if (node.machine && (name === "address" || name === "mac")) return node.machine.at;
  const own = pool.written.nodes[node.name];
  const ownPath = [...pool.path, "nodes", node.name];
  if (own !== undefined && Object.hasOwn(own, name)) return draft.document.locate([...ownPath, name]);
  // Most nodes of a large pool are decided by the pool, at one and the same place.
  const known = pool.places.get(name);
  if (known) return known;
  const isSaid = Object.hasOwn(pool.written, name);
  const place = isSaid ? draft.document.locate([...pool.path, name]) : draft.document.locateKey(pool.path);
  pool.places.set(name, place);
  return place;
}
