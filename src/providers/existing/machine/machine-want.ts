import type { Role } from "../../../spec/index.ts";

/** Enough to find a machine again: nodes on machines that exist bear their names. */
export interface MachineKey {
  host: string;
  cluster: string;
  node: string;
  /** On its removal the data disks are wiped too. */
  losesData?: boolean | undefined;
}

export interface MachineWant extends MachineKey {
  role: Role;
  address: string;
}
