import type { PlacedNode } from "../../../plan/index.ts";
import { hasKnownAddress, type Cluster, type Host, type Node } from "../../../spec/index.ts";
import type { Machine, Mark, MarkedAddon, Source } from "../model.ts";

/** What a picture is made from: the file, where its machines are or would be, and what was found about them. */
export interface Readings {
  from: Source;
  hosts: Host[];
  clusters: ReadCluster[];
  /** What was found about hosts, by their names; nothing where only the file was read. */
  hostFindings: Record<string, HostFinding>;
}

export interface ReadCluster {
  name: string;
  /** Absent for one that is not in the file. */
  cluster?: Cluster;
  placed: PlacedNode[];
  software: string;
  hasKubernetes: boolean;
  /** By node. What is given here wins over what the file says. */
  nodes: Record<string, NodeFinding>;
  /** Machines that carry the cluster's mark and are not in the file. */
  leftovers: LeftoverMachine[];
  addons: MarkedAddon[];
  mark?: Mark;
  note?: string | undefined;
}

export interface HostFinding {
  software?: string;
  mark?: Mark;
  note?: string;
}

export type NodeFinding = Partial<
  Pick<Machine, "address" | "vmid" | "cores" | "memoryMiB" | "mark" | "note">
>;

export type LeftoverMachine = Machine & { host: string };

/** The host a machine is on, also one that the file does not name. */
export const hostNameOf = ({ host, on }: PlacedNode): string => on ?? host.name;

/** Where a DHCP server chooses, the file has no address to show. */
export const addressOf = (node: Node): string => (hasKnownAddress(node) ? node.address : "DHCP");
