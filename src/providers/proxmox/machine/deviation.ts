import type { MachineChange } from "../../../clients/proxmox/index.ts";
import type { Deviation as PlainDeviation } from "../../../plan/index.ts";
import { deviates as deviatesOf } from "../../common/index.ts";

/** Where a machine is not as the file says, and how it is put right: what is compared is what is changed. */
export interface Deviation extends PlainDeviation {
  /** Of the machine's configuration. */
  keys: string[];
  set?: MachineChange;
  unset?: string[] | undefined;
  /** Drives that go for good. */
  destroys?: string[];
  moves?: DiskMove;
  grows?: { slot: string; sizeGiB: number };
  /** Waits to come with the next start, and is not to. */
  reverts?: true;
}

export interface DiskMove {
  slot: string;
  storage: string;
  format?: "qcow2" | undefined;
}

/** Nothing when both are alike. */
export const deviates = deviatesOf<Deviation>;
