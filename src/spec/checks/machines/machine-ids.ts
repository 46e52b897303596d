import type { Position } from "../../../errors/index.ts";
import type { ClusterDraft, FleetDraft, PoolDraft } from "../../complete/draft.ts";
import { nodePlace } from "../../complete/pools.ts";
import type { Node } from "../../model/cluster.ts";
import { leastVmid, mostVmid } from "../../schema/machine.ts";
import { type Problem, Alike } from "../../source/problem.ts";
import { elsewhere } from "../elsewhere.ts";
import { numberRange } from "../../model/host-kinds.ts";

interface Owner {
  what: string;
  at: Position;
  /** Made from the node's name; two alike mean two alike names, which is told elsewhere. */
  isMade?: boolean;
}

interface Ledgers {
  /** By range and VMID. */
  vmids: Map<string, Owner>;
  macs: Map<string, Owner>;
  /** Of hosts, by name. */
  ranges: ReadonlyMap<string, string>;
  isOneCluster: boolean;
}

/** VMIDs are unique within one Proxmox, MAC addresses everywhere. */
export function checkMachineIds(fleet: FleetDraft): Problem[] {
  const ranges = new Map(fleet.hosts.map(({ host }) => [host.name, numberRange(host)]));
  const isOneCluster = fleet.clusters.length === 1;
  const ledgers: Ledgers = { vmids: new Map(), macs: new Map(), ranges, isOneCluster };
  return fleet.clusters.flatMap((draft) =>
    draft.pools.flatMap((pool) => [...poolVmids(ledgers, draft, pool), ...poolMacs(ledgers, draft, pool)]),
  );
}

function poolVmids(
  { vmids, ranges, isOneCluster }: Ledgers,
  draft: ClusterDraft,
  pool: PoolDraft,
): Problem[] {
  const alike = new Alike();
  const rangesOf = (hosts: string[]): Set<string> => new Set(hosts.map((host) => ranges.get(host) ?? host));
  const anyRange = rangesOf(draft.cluster.on);
  for (const node of pool.nodes) {
    const { vmid } = node;
    if (vmid === undefined) continue;
    const at = nodePlace(draft, pool, node, "vmid");
    if (vmid > mostVmid) {
      alike.note("range", at, () => ({
        code: "SPEC_OUT_OF_RANGE",
        what: `VMID ${vmid} of ${node.name} is above ${mostVmid}, the highest Proxmox takes`,
        next: "Begin with a lower vmid",
      }));
    }
    // Not yet placed, a node may land on any Proxmox of its cluster.
    for (const range of node.host === undefined ? anyRange : rangesOf([node.host])) {
      const other = vmids.get(`${range} ${vmid}`);
      if (!other) {
        vmids.set(`${range} ${vmid}`, {
          what: isOneCluster ? node.name : `${node.name} in ${draft.cluster.name}`,
          at,
        });
        continue;
      }
      alike.note("twice", at, () => ({
        code: "SPEC_VMID_TWICE",
        what: `VMID ${vmid} of ${node.name} is also that of ${other.what} ${elsewhere(other.at, at)}`,
        next: `Begin with another vmid, from ${leastVmid} on, or leave it out`,
      }));
      break;
    }
  }
  return alike.told();
}

function poolMacs({ macs, isOneCluster }: Ledgers, draft: ClusterDraft, pool: PoolDraft): Problem[] {
  const alike = new Alike();
  for (const { node, mac, at, isMade } of pool.nodes.flatMap((each) => macsOf(draft, pool, each))) {
    const other = macs.get(mac);
    if (isMade && other?.isMade === true) continue;
    if (!other) {
      macs.set(mac, {
        what: isOneCluster ? node.name : `${node.name} in ${draft.cluster.name}`,
        at,
        isMade,
      });
      continue;
    }
    alike.note("twice", at, () => ({
      code: "SPEC_MAC_TWICE",
      what: `MAC ${mac} of ${node.name} is also that of ${other.what} ${elsewhere(other.at, at)}`,
      next: "Leave mac out: each node then gets one of its own",
    }));
  }
  return alike.told();
}

/** Of all its cards, and whether the file says them. */
function macsOf(draft: ClusterDraft, pool: PoolDraft, node: Node) {
  const own = pool.written.nodes[node.name];
  const isMade = pool.written.mac === undefined && own?.mac === undefined;
  const first = { node, mac: node.mac, at: nodePlace(draft, pool, node, "mac"), isMade };
  const written = own?.nics ?? pool.written.nics ?? [];
  const others = (node.nics ?? []).map(({ mac }, i) => ({
    node,
    mac,
    at: nodePlace(draft, pool, node, "nics"),
    isMade: written[i]?.mac === undefined,
  }));
  return [first, ...others];
}
