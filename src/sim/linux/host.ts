import type { Clock, Random } from "../../lib/index.ts";
import type { FaultBox } from "../faults.ts";
import type { GuestDisk, GuestHardware, GuestPower, SeedBus } from "../guest.ts";
import type { HostFault, HostFaultKind } from "../host-faults.ts";
import type { Latencies } from "../latency.ts";
import type { SimNetwork } from "../network.ts";
import { CloudInit } from "./cloud-init.ts";
import { FileError } from "./file-error.ts";
import { FileTree } from "./file-tree.ts";
import { hostFiles } from "./host-files.ts";
import { HostNetwork } from "./host-network.ts";
import { openLinuxDisk, releases, type LinuxDisk } from "./image.ts";
import { madeFiles } from "./made-files.ts";
import type { HostView, Program } from "./program.ts";
import { Systemd } from "./systemd/index.ts";

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

export type Ending = "reboot" | "poweroff";

/** A simulated host: what it is, what is on its disk, and what it is doing. The story of its life is in `live-host.ts`. */
export class LinuxHost {
  readonly hardware: GuestHardware;
  readonly world: LinuxWorld;
  readonly power: GuestPower;
  readonly disk: LinuxDisk;
  readonly files: FileTree;
  readonly systemd: Systemd;
  readonly cloudInit: CloudInit;
  readonly network: HostNetwork;
  readonly clock: Clock;
  readonly view: HostView;
  /** Aborted when the running system ends or power is cut. */
  running: AbortSignal = AbortSignal.abort();
  /** Ends the running system; set while it runs. */
  end: (ending: Ending) => void = () => undefined;
  /** Power goes away at once, as by a fault. */
  die: () => void = () => undefined;
  bootedAt = 0;
  /** Of its cards, as `10.0.0.5/24`; empty until the network is up. */
  links: { name: string; mac: string; cidr: string }[] = [];

  constructor(
    hardware: GuestHardware,
    system: { content: GuestDisk; image: string },
    power: GuestPower,
    world: LinuxWorld,
  ) {
    this.world = world;
    this.power = power;
    this.disk = openLinuxDisk(system.content, system.image);
    this.hardware = seenBy(this.facts, hardware);
    this.network = new HostNetwork(this.name, world.network, world.faults.hosts);
    this.files = new FileTree({
      kept: this.disk.files,
      made: madeFiles(this),
      saved: () => power.saved(),
      demandRoom: (path) => {
        // What the first start needs has room, and what is in memory too.
        if (this.links.length === 0 || path.startsWith("/run/")) return;
        if (world.faults.hosts.find("disk-full", { host: this.name, path })) throw new FileError("ENOSPC");
      },
    });
    this.clock = {
      now: () => world.clock.now() + (this.fault("clock-skew")?.skewMs ?? 0),
      sleep: (ms, signal) => world.clock.sleep(ms, signal),
    };
    this.systemd = new Systemd(this);
    this.cloudInit = new CloudInit(this);
    this.view = viewOf(this);
  }

  /** As its hypervisor calls it. */
  get name(): string {
    return this.hardware.name;
  }

  get facts() {
    return releases[this.disk.release];
  }

  get addresses(): string[] {
    return this.links.map(({ cidr }) => cidr.split("/")[0] ?? "");
  }

  fault(kind: HostFaultKind): HostFault | undefined {
    return this.world.faults.hosts.find(kind, { host: this.name });
  }
}

/** What has no driver is not there. */
function seenBy(
  { unseenBuses }: { unseenBuses: readonly SeedBus[] },
  hardware: GuestHardware,
): GuestHardware {
  const { seed, ...rest } = hardware;
  return seed?.bus !== undefined && unseenBuses.includes(seed.bus) ? rest : hardware;
}

/** Programs read name and addresses when they need them: both come after the host itself. */
const viewOf = (host: LinuxHost): HostView => ({
  machine: host.name,
  hardware: host.hardware,
  get hostname() {
    return host.disk.hostname;
  },
  get addresses() {
    return host.addresses;
  },
  files: hostFiles(host.files),
  network: host.network,
  clock: host.clock,
  random: host.world.random,
  latencies: host.world.latencies,
  faults: host.world.faults,
});
