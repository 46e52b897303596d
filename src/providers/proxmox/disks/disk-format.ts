import type { MachineWant } from "../machine/machine-want.ts";

const fileKinds = new Set(["dir", "nfs", "cifs", "glusterfs"]);

/** Whether disks are files there. Of those only qcow2 can be stood on and keep snapshots, and raw is what one gets unasked. */
export const keepsFiles = (kind: string | undefined): boolean => fileKinds.has(kind ?? "");

type FormatWant = Pick<MachineWant, "fileStorages">;

/** What to ask for on a storage; undefined where it has one format only. */
export const formatOn = ({ fileStorages = [] }: FormatWant, storage: string): "qcow2" | undefined =>
  fileStorages.includes(storage) ? "qcow2" : undefined;

/** The same as a part of a drive that is made. */
export function newDiskFormat(want: FormatWant, storage: string): string[] {
  const format = formatOn(want, storage);
  return format === undefined ? [] : [`format=${format}`];
}
