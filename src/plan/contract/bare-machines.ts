import type { Cluster, ExistingMachine, Role } from "../../spec/index.ts";
import type { StepContext } from "../resource.ts";

/** What a machine is made of, as its own system tells it; what it does not tell is absent. */
export interface MachineHardware {
  /** Lower case, of NICs that are real. */
  macs: string[];
  disks?: MachineDisk[] | undefined;
  memoryMiB?: number | undefined;
  cores?: number | undefined;
  /** How far its clock is ahead of ours; behind when negative. */
  clockAheadMs?: number | undefined;
}

export interface MachineDisk {
  path: string;
  sizeGiB: number;
  model: string;
  /** Its system lies on it. */
  isSystem?: true;
  /** It was started from it, and holds no system of its own. */
  isBootMedium?: true;
}

/** A machine that is there already, as it was found. */
export type BareMachineLook =
  | { state: "unreachable"; why: string }
  /** Something answers there, but nothing that could become a node. */
  | { state: "other"; why: string }
  /** It runs somebody else's cluster. */
  | { state: "foreign"; why: string }
  | ({ state: "free"; software: string; fingerprint?: string; misfit?: string | undefined } & Told)
  | ({ state: "ours"; cluster: string; role: Role } & Told);

interface Told {
  hardware: MachineHardware;
  /** Its system needs no disk to be installed on. */
  needsNoDisk?: true | undefined;
}

/** What becomes of a machine that leaves its cluster. */
export interface Release {
  cluster: Cluster;
  /** Its data disks are wiped too. */
  losesData: boolean;
  /** The disks that are no system's. */
  dataDisks: string[];
}

/** Machines that nobody made, as a distribution knows those it could run on. */
export interface BareMachines {
  /** What is free to begin with: `a machine in Talos' maintenance mode`. */
  wanted: string;
  /** How a machine becomes that, in a sentence. */
  howToBegin(cluster: Cluster): string;
  /** What it is to these clusters, of which the first has chosen it, if any has. Reads only, and never fails. */
  look(machine: ExistingMachine, clusters: Cluster[], signal: AbortSignal): Promise<BareMachineLook>;
  /** Before anything else is done to it. Absent: nothing has to be. */
  take?(ctx: StepContext, machine: ExistingMachine, cluster: Cluster): Promise<void>;
  /** Empties it: it can become a node of any cluster again. */
  release(ctx: StepContext, machine: ExistingMachine, release: Release): Promise<void>;
}
