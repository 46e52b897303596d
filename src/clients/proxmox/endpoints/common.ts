import { integer, text } from "./schema.ts";

/** Parameters that many calls share. */
export const node = text({ required: true, format: "pve-node" });
export const vmid = integer({ required: true, format: "pve-vmid", min: 100, max: 999_999_999 });
export const optionalVmid = integer({ format: "pve-vmid", min: 100, max: 999_999_999 });
export const storage = text({ required: true, format: "pve-storage-id" });
export const optionalStorage = text({ format: "pve-storage-id" });
export const optionalPool = text({ format: "pve-poolid" });
export const digest = text({ maxLength: 40 });

const slots = (base: string, count: number) => Array.from({ length: count }, (_, n) => `${base}${n}`);

/** Every drive of a VM, in the order the server lists them. */
export const driveSlots: readonly string[] = [
  ...slots("ide", 4),
  ...slots("scsi", 31),
  ...slots("virtio", 16),
  ...slots("sata", 6),
  "efidisk0",
  "tpmstate0",
];

/** The same with the places of volumes that no drive uses. */
export const volumeSlots: readonly string[] = [...driveSlots, ...slots("unused", 256)];
