import { badParameter, type ApiError } from "../../api-error.ts";
import type { Cluster } from "../../cluster.ts";
import type { Vm } from "../../state.ts";
import { bootOrder, isDrive, isNic, systemDisk } from "./config.ts";

const busyMs = { nic: 6000, disk: 17_000 } as const;

/**
 * Waits until a running machine has let go of a device. It needs the system in it; where none runs, the server waits
 * and gives up.
 */
export async function unplug(cluster: Cluster, vm: Vm, key: string): Promise<void> {
  if (isBootDisk(vm, key)) throw hotplugProblem(key, `can't unplug bootdisk '${key}'`);
  if (cluster.guests.get(vm.vmid)?.shutdown !== undefined) return;
  await cluster.clock.sleep(isNic(key) ? busyMs.nic : busyMs.disk);
  const hint = cluster.version === 9 ? " - still busy in guest?" : "";
  throw hotplugProblem(key, `error on hot-unplugging device '${deviceOf(vm, key)}'${hint}`);
}

export const hotplugProblem = (key: string, text: string): ApiError =>
  badParameter({ [key]: `hotplug problem - ${text}\n` });

/** Any disk of the boot order; without one, what the firmware would find. */
const isBootDisk = ({ config }: Vm, key: string): boolean =>
  isDrive(key) && (key === systemDisk(config) || bootOrder(config).includes(key));

/** With a controller per disk it is the controller that goes. */
const deviceOf = (vm: Vm, key: string): string =>
  vm.config["scsihw"] === "virtio-scsi-single" && key.startsWith("scsi") ? `virtio${key}` : key;
