/**
 * Simulated Linux hosts from cloud images: SSH, cloud-init, files, systemd and the commands that are run on them. Start reading
 * at `live-host.ts`.
 */
export { linuxGuests, type LinuxGuests } from "./guests.ts";
export type { LinuxHost } from "./host.ts";
export type { LinuxWorld } from "./host-core.ts";
export { linuxSlot } from "./image.ts";
export type { HostFiles, HostView, Program, ServiceRun } from "./program.ts";
