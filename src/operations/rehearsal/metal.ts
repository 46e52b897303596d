import { newSshKey, seededRandom } from "../../lib/index.ts";
import { bootMedia, imageFactory } from "../../images/index.ts";
import {
  hasGuests,
  isExistingHost,
  type Cluster,
  type ExistingMachine,
  type Fleet,
} from "../../spec/index.ts";

/** What a rehearsal logs in with where the user would use a key of his own. */
export const rehearsedLogin = newSshKey(seededRandom("rehearsal"));
export const rehearsedPassword = "rehearsed";

/** The machines that the file says are there, as it says they are: waiting, each for the cluster that has chosen it. */
export function rehearsalMetal(fleet: Fleet): Record<string, unknown> {
  const machines = fleet.hosts.filter(isExistingHost).flatMap(({ existing }) => existing.machines);
  return Object.fromEntries(
    machines.map((machine, index) => [machine.name, simulated(fleet, machine, index)]),
  );
}

function simulated(fleet: Fleet, machine: ExistingMachine, index: number): unknown {
  const { name, address, mac, disk, bmc, wakesOnLan } = machine;
  const cluster = fleet.clusters.find(({ nodes }) => nodes.some((node) => node.machine?.name === name));
  return {
    cidr: `${address}/${cluster?.network.prefix ?? 24}`,
    mac: mac ?? `9e:00:00:00:${hex(index >> 8)}:${hex(index & 255)}`,
    disks: disksFor(disk),
    image: imageOf(cluster),
    login:
      cluster && hasGuests(cluster)
        ? { user: cluster.distribution.user, key: rehearsedLogin.public }
        : undefined,
    wakesOnLan,
    bmc: bmc && { url: bmc.url, user: bmc.user, password: rehearsedPassword, system: bmc.system },
  };
}

const hex = (value: number): string => value.toString(16).padStart(2, "0");

/** One of the name that the file expects. */
function disksFor(disk = "/dev/sda"): { slot: string; size: number }[] {
  const [, nvme] = /^\/dev\/(nvme\d+)n1$/.exec(disk) ?? [];
  return [{ slot: nvme ?? (disk.startsWith("/dev/vd") ? "virtio0" : "sata0"), size: 480e9 }];
}

function imageOf(cluster: Cluster | undefined): string {
  if (cluster && imageFactory(cluster) !== undefined) return bootMedia(cluster).iso;
  return cluster && hasGuests(cluster) && cluster.distribution.user === "ubuntu"
    ? "noble-server-cloudimg-amd64.img"
    : "debian-12-genericcloud-amd64.qcow2";
}
