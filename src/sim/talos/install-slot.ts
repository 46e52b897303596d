import { diskName } from "./hardware-resources.ts";
import type { TalosNode } from "./node.ts";

/** The slot of the disk that the config wants Talos on; absent when the machine has no such disk. */
export function installSlot(node: TalosNode): string | undefined {
  const { disks } = node.hardware;
  const path = node.config?.install?.disk;
  if (path === undefined) return disks[0]?.slot;
  return disks.find((disk, index) => `/dev/${diskName(disk.slot, index)}` === path)?.slot;
}
