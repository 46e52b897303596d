import type { Graph, ReadContext } from "../resource.ts";
import type { OwnedMachine, RemovalBlocker } from "./owned-machine.ts";

/** A backup of a whole machine that its hypervisor keeps, also one that Slipway did not take. */
export interface MachineBackup {
  cluster: string;
  node: string;
  /** What the hypervisor knows it by. */
  archive: string;
  /** As ISO 8601, in UTC. */
  takenAt: string;
  sizeBytes: number;
  isOurs: boolean;
}

/** A node whose machine has backups. */
export interface WantedArchive {
  cluster: string;
  node: string;
  /** Hosts that the machine is on or may be made on. */
  hosts: string[];
  /** Numbers the machine is known to have had. */
  ids: number[];
}

export interface FoundArchive extends Pick<MachineBackup, "archive" | "takenAt"> {
  /** The only host that can read it; absent: all of them can. */
  onlyOn?: string;
}

/** A hypervisor that backs up whole machines. */
export interface MachineBackups {
  /** A backup of each of these machines, as graph nodes, in their order. */
  describe(machines: OwnedMachine[], to: { storage: string; name: string }): Graph;
  /** Which of these machines cannot be backed up there, and why. */
  blockers(ctx: ReadContext, machines: OwnedMachine[], storage: string): Promise<RemovalBlocker[]>;
  /** Those of these nodes that may be seen, oldest first within each, also where the machine is gone. */
  list(ctx: ReadContext, nodes: WantedArchive[]): Promise<MachineBackup[]>;
  /** The named one or the newest. Throws when there is none, or what is in it is another machine. */
  find(ctx: ReadContext, wanted: WantedArchive, archive: string | undefined): Promise<FoundArchive>;
}
