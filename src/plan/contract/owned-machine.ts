import type { Role } from "../../spec/index.ts";

/** A machine that carries our mark, as the hypervisor tells it. */
export interface OwnedMachine {
  cluster: string;
  node: string;
  role: Role;
  /** Name of the host in the file on which it was found. */
  host: string;
  /** The hypervisor's own name for where it is; it may have been moved to a place the file does not name. */
  on: string;
  /** The number its hypervisor knows it by. Absent: machines go by their names there. */
  id?: number;
  isRunning: boolean;
  /** File name of the image it was made from. */
  image: string;
  memoryMiB: number;
  cores: number;
  dataDisksGiB: number[];
  /** Those of its data disks that outlive it. */
  keptDisks: { index: number; sizeGiB: number; volume: string }[];
  /** The hypervisor itself refuses to remove it. */
  isProtected: boolean;
  /** The hypervisor keeps it running by itself, and answers for its power. */
  isHaManaged?: true | undefined;
  /** That it does was asked for in the cluster file once, not set by hand. */
  isProtectedByFile?: true | undefined;
  /** Hosts that were lost when it was made: a machine of its node on one of them is the old one. */
  insteadOf?: string[] | undefined;
}

/** Why a machine cannot be removed, and what a person can do about it. */
export interface RemovalBlocker {
  machine: OwnedMachine;
  why: string;
  next: string;
}

/** What a running machine uses of what it has, as its hypervisor measures it. A part that it does not tell is absent. */
export interface MachineUsage {
  cluster: string;
  node: string;
  on: string;
  id?: number | undefined;
  /** Of all its cores together. */
  cpuPercent?: number | undefined;
  memoryUsedMiB?: number | undefined;
}
