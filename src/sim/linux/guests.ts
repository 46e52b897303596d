import type { BootGuest } from "../guest.ts";
import { LinuxHost } from "./host.ts";
import type { LinuxWorld } from "./host-core.ts";
import { linuxSlot } from "./image.ts";
import { liveHost } from "./live-host.ts";

export interface LinuxGuests {
  /** Powers a machine on whose disk holds a cloud image. */
  boot: BootGuest;
  /** The hosts that have power, by the names of their machines. */
  hosts(): Map<string, LinuxHost>;
  /** Hosts that stopped because the simulator could not go on, e.g. an address that is taken. */
  failures(): { host: string; error: unknown }[];
  close(): Promise<void>;
}

/** Simulated Linux hosts, all in one network. All they know is on their disks. */
export function linuxGuests(world: LinuxWorld): LinuxGuests {
  const running = new Map<LinuxHost, () => Promise<void>>();
  const failures: { host: string; error: unknown }[] = [];
  return {
    boot(hardware, disks, power) {
      const device = linuxSlot(hardware, disks);
      const content = device && disks[device.slot];
      if (!content) throw new Error(`${hardware.name} has no disk with Linux`);
      const host = new LinuxHost(hardware, { content, image: device.image ?? "" }, power, world);
      const cut = new AbortController();
      const life = liveHost(host, cut.signal)
        .catch((error: unknown) => {
          if (cut.signal.aborted) return;
          failures.push({ host: hardware.name, error });
          power.powerOff();
        })
        .finally(() => running.delete(host));
      const stop = async (): Promise<void> => {
        cut.abort(new Error("power is cut"));
        await life;
      };
      host.die = () => {
        power.powerOff();
        void stop();
      };
      running.set(host, stop);
      return {
        stop,
        shutdown: () => host.end("poweroff"),
        // The image brings no agent along; it answers once somebody has installed it.
        get agentAddresses() {
          if (!host.disk.packages.includes("qemu-guest-agent")) return undefined;
          return () => host.links.map(({ name, mac, cidr }) => ({ name, mac, addresses: [cidr] }));
        },
      };
    },
    hosts: () => new Map([...running.keys()].map((host) => [host.name, host])),
    failures: () => failures,
    async close() {
      await Promise.all([...running.values()].map((stop) => stop()));
    },
  };
}
