import type { Clock, Random } from "../../lib/index.ts";
import type { FaultBox } from "../faults.ts";
import type { GuestHardware, GuestPower } from "../guest.ts";
import type { HostFault, HostFaultKind } from "../host-faults.ts";
import type { Latencies } from "../latency.ts";
import type { SimNetwork } from "../network.ts";
import type { FileTree } from "./files/file-tree.ts";
import type { LinuxDisk, releases } from "./image.ts";
import type { HostView, Program } from "./program.ts";

/** What all simulated Linux hosts of a datacenter share. */
export interface LinuxWorld {
  network: SimNetwork;
  clock: Clock;
  latencies: Latencies;
  faults: FaultBox;
  random: Random;
  /** By the name of their file: `k3s`. */
  programs: Record<string, Program>;
}

/** What the parts of a host see of the host they are in. */
export interface HostCore {
  readonly hardware: GuestHardware;
  readonly world: LinuxWorld;
  readonly power: GuestPower;
  readonly disk: LinuxDisk;
  readonly files: FileTree;
  readonly clock: Clock;
  readonly view: HostView;
  readonly facts: (typeof releases)[LinuxDisk["release"]];
  readonly running: AbortSignal;
  readonly bootedAt: number;
  readonly console: { hostKeys(publicKeys: string[]): void; finished(): void };
  readonly systemd: { nextPid(): number; log(unit: string, by: string, line: string): void };
  fault(kind: HostFaultKind): HostFault | undefined;
}
