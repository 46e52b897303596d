import type { MachinePlace } from "../../../../plan/index.ts";
import type { FirstContact } from "../../../../spec/index.ts";
import type { MachineIntent } from "../../config/index.ts";
import type { Hop } from "../../upgrade/hops.ts";

/** Complete but for the secrets, which `cluster` refers to. */
export interface NodeConfigWant {
  cluster: string;
  node: string;
  address: string;
  intent: MachineIntent;
  machine: MachinePlace;
  firstContact: FirstContact;
  /** The control planes whose etcd it joins: one at a time, and it votes before the next. Absent: it joins none. */
  joins?: { node: string; address: string }[];
  /** Versions it goes through before; absent: straight to those of its config. */
  hops?: Hop[] | undefined;
  /** What the file says that it shows; absent: nothing. */
  fingerprint?: string | undefined;
}

/** The cluster waits for its control planes; workers are many, and early anyway. */
export const pollEveryMs = ({ intent }: NodeConfigWant): number =>
  intent.role === "control-plane" ? 200 : 1_000;
