import type { MachinePlace } from "../../../plan/index.ts";
import type { FirstContact } from "../../../spec/index.ts";
import type { MachineIntent } from "../machine-intent.ts";

/** Complete but for the secrets, which `cluster` refers to. */
export interface NodeConfigWant {
  cluster: string;
  node: string;
  address: string;
  intent: MachineIntent;
  machine: MachinePlace;
  firstContact: FirstContact;
}

/** The cluster waits for its control planes; workers are many, and early anyway. */
export const lookEveryMs = ({ intent }: NodeConfigWant): number =>
  intent.role === "control-plane" ? 200 : 1_000;
