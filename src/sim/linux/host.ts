import type { Clock } from "../../lib/index.ts";
import type { GuestDisk, GuestHardware, GuestPower, SeedBus } from "../guest.ts";
import type { HostFault, HostFaultKind } from "../host-faults.ts";
import { CloudInit } from "./cloud-init.ts";
import { FileError } from "./files/file-error.ts";
import { FileTree } from "./files/file-tree.ts";
import { hostFiles } from "./files/host-files.ts";
import type { HostCore, LinuxWorld } from "./host-core.ts";
import { HostNetwork } from "./host-network.ts";
import { openLinuxDisk, releases, type LinuxDisk } from "./image.ts";
import type { HostView } from "./program.ts";
import { SerialConsole } from "./serial-console.ts";
import { Systemd } from "./systemd/index.ts";

export type Ending = "reboot" | "poweroff";

/** A simulated host: what it is, what is on its disk, and what it is doing. The story of its life is in `live-host.ts`. */
export class LinuxHost implements HostCore {
  readonly hardware: GuestHardware;
  readonly world: LinuxWorld;
  readonly power: GuestPower;
  readonly disk: LinuxDisk;
  readonly files: FileTree;
  readonly systemd: Systemd;
  readonly cloudInit: CloudInit;
  readonly console: SerialConsole;
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
      demandSpace: (path) => {
        // What the first start needs has room, and what is in memory too.
        if (this.links.length === 0 || path.startsWith("/run/")) return;
        if (world.faults.hosts.find("disk-full", { host: this.name, path })) throw new FileError("ENOSPC");
      },
    });
    this.clock = {
      ...world.clock,
      now: () => world.clock.now() + (this.fault("clock-skew")?.skewMs ?? 0),
    };
    this.systemd = new Systemd(this);
    this.cloudInit = new CloudInit(this);
    this.console = new SerialConsole(this);
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

/** Files that a kernel makes up when they are read. */
const madeFiles = (host: LinuxHost): Record<string, () => string> => ({
  "/proc/meminfo": () => memory(host.hardware.memoryMiB * 1024),
  "/proc/uptime": () => {
    const seconds = Math.max(0, host.world.clock.now() - host.bootedAt) / 1000;
    return `${seconds.toFixed(2)} ${(seconds * host.hardware.cores * 0.9).toFixed(2)}\n`;
  },
  "/sys/fs/cgroup/cgroup.controllers": () =>
    `cpuset cpu io ${host.fault("no-memory-cgroup") ? "" : "memory "}hugetlb pids rdma misc\n`,
});

/** The kernel keeps a part for itself. */
function memory(wholeKiB: number): string {
  const total = Math.round(wholeKiB * 0.965);
  const row = (name: string, kib: number): string =>
    `${`${name}:`.padEnd(16)}${String(Math.round(kib)).padStart(8)} kB\n`;
  return [
    row("MemTotal", total),
    row("MemFree", total * 0.62),
    row("MemAvailable", total * 0.83),
    row("Buffers", total * 0.01),
    row("Cached", total * 0.2),
    row("SwapTotal", 0),
    row("SwapFree", 0),
  ].join("");
}
