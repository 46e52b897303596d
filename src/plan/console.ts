import type { ReadContext, StepContext } from "./resource.ts";

/** A machine as a plan knows it before it is made. */
export interface MachinePlace {
  cluster: string;
  node: string;
  /** Name of the host in the file. */
  host: string;
  vmid: number;
}

export interface ConsoleListener {
  heard(bytes: Buffer): void;
  /** Once: nothing more will be heard. */
  ended(error?: Error): void;
}

/**
 * The serial consoles of machines, through their hypervisor: a way to hear a node that nobody else in its network can
 * take. One listener at a time; what is printed while nobody listens is lost.
 */
export interface Consoles {
  /** From now on; returns how to stop. */
  listen(ctx: ReadContext, machine: MachinePlace, listener: ConsoleListener): Promise<() => void>;
  /** As the button on a computer: the guest is not asked, and who listens goes on listening. */
  reset(ctx: StepContext, machine: MachinePlace): Promise<void>;
}
