import { machineImage, machineIso, type MachineImage } from "../../../images/index.ts";
import type { Graph, GraphNode, MachineNeeds, PlacedNode, StepId } from "../../../plan/index.ts";
import type { CloneKind, Cluster, ProxmoxHost } from "../../../spec/index.ts";
import type { MachineWant } from "../machine-config.ts";

/** What the system disk of a machine comes from, when it is not simply a copy of its image. */
export type MachineSource =
  | { kind: "iso"; volume: string }
  /** A template of somebody else is taken as it is, so the file must fit it. */
  | { kind: "clone"; template: number; clone: CloneKind; isTheirs?: true };

/** One way of making the machines of a cluster, as it stands in the graph. */
export interface Origin {
  /** What must be there before the machines. */
  before: Graph;
  sourceOf(placed: PlacedNode<ProxmoxHost>): NodeSource;
  /** What is tidied up once they have their system. */
  afterwards(machines: GraphNode<MachineWant>[]): Graph;
}

export interface NodeSource {
  image: { storage: string; file: string };
  /** Absent: the disk is a copy of the image. */
  from?: MachineSource;
  after: StepId[];
  facts: Record<string, string | number>;
}

/** What a way is described from. */
export interface OriginView {
  cluster: Cluster;
  placed: PlacedNode<ProxmoxHost>[];
  /** Those on which something may be made. */
  hosts: ProxmoxHost[];
  needs: MachineNeeds;
  canRegister: boolean;
  hostNamed(name: string): ProxmoxHost;
}

/** The file of ours that the machines of a cluster come from; none when somebody else keeps it. */
export function originImage(cluster: Cluster): MachineImage | undefined {
  const { origin } = cluster;
  if (origin.kind === "existing") return undefined;
  if (origin.kind !== "iso") return machineImage(cluster);
  return origin.volume === undefined ? machineIso(cluster) : undefined;
}
