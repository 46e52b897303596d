import type { Clock, Random } from "../../lib/index.ts";
import type { FaultBox } from "../faults.ts";
import type { GuestHardware } from "../guest.ts";
import type { Latencies } from "../latency.ts";
import type { SimNetwork } from "../network.ts";

/** What programs see of the simulated host they run on. */
export interface HostView {
  /** The machine's name in its hypervisor. */
  machine: string;
  /** Absent where nobody asks for more than its name. */
  hardware?: Pick<GuestHardware, "id" | "uuid" | "host" | "cores" | "memoryMiB">;
  hostname: string;
  /** Of its cards, without a prefix. */
  addresses: string[];
  files: HostFiles;
  network: SimNetwork;
  clock: Clock;
  random: Random;
  latencies: Latencies;
  faults: FaultBox;
}

/** The files of a host, by whole path. They live on its disk: a restart keeps them, a new disk does not. */
export interface HostFiles {
  read(path: string): Buffer | undefined;
  write(path: string, content: Buffer | string, mode?: number): void;
  /** A file, or a folder with all that is below it. */
  remove(path: string): void;
  /** Whole paths of all files below a folder. */
  below(folder: string): string[];
}

/** One life of a service, from its start to its end. */
export interface ServiceRun {
  /** What follows the program in ExecStart. */
  args: string[];
  /** A line for the journal, as the program writes it. */
  log(line: string): void;
  /** Tells systemd that it is up, as `Type=notify` units do. */
  ready(): void;
  /** The service is stopped, or the power is cut. */
  stop: AbortSignal;
}

/** A program that a simulated host knows: as a service of systemd, or as a command that ends at once. */
export interface Program {
  /** Resolves with the exit code; systemd starts it again as its unit says. */
  serve?(host: HostView, run: ServiceRun): Promise<number>;
  run?(host: HostView, args: string[]): { code: number; stdout: string; stderr: string };
}
