import { badParameter } from "./api-error.ts";
import type { Cluster } from "./cluster.ts";
import type { Vm } from "./state.ts";
import { isNic, systemDisk } from "./vm-config.ts";
import { bootWithout, deleteKeys } from "./vm-pending.ts";

const busyMs = { nic: 6000, disk: 17_000 } as const;

/**
 * Takes a device out of a running machine. It needs the system in it to let go; where none runs, the server waits and
 * gives up, and the device goes when the machine is switched off.
 */
export async function unplug(cluster: Cluster, vm: Vm, key: string, isForced: boolean): Promise<void> {
  const boot = bootWithout(vm.config, key);
  if (boot !== undefined) vm.pending.set["boot"] = boot;
  if (key === systemDisk(vm.config)) throw problem(key, `can't unplug bootdisk '${key}'`);
  if (cluster.guests.get(vm.vmid)?.shutdown === undefined) {
    await cluster.clock.sleep(isNic(key) ? busyMs.nic : busyMs.disk);
    const hint = cluster.version === 9 ? " - still busy in guest?" : "";
    throw problem(key, `error on hot-unplugging device '${deviceOf(vm, key)}'${hint}`);
  }
  deleteKeys(cluster, vm, [key], isForced);
  vm.pending.delete = vm.pending.delete.filter((other) => other !== key);
  delete vm.pending.set["boot"];
}

const problem = (key: string, text: string) => badParameter({ [key]: `hotplug problem - ${text}\n` });

/** With a controller per disk it is the controller that goes. */
const deviceOf = (vm: Vm, key: string): string =>
  vm.config["scsihw"] === "virtio-scsi-single" && key.startsWith("scsi") ? `virtio${key}` : key;
