import { findNodeDisk } from "../../../src/sim/talos/boot/node-disk.ts";
import type { RehearsalSite } from "./rehearsal-site.ts";

/** From now on the Talos of this machine says that it runs in a container, and has no partitions. */
export function runInContainer(site: RehearsalSite, machine: string): void {
  const { disks = {} } = site.rehearsal.datacenter.metal.state()[machine] ?? {};
  const systems = Object.values(disks).flatMap((disk) => findNodeDisk(disk) ?? []);
  if (systems.length === 0) throw new Error(`${machine} has no Talos on its disks`);
  for (const system of systems) system.platform = "container";
}
