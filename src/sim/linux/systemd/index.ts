/** The part of systemd that runs services: unit files, their lives, restarts and journal. */
export { Systemd, unitName } from "./systemd.ts";
export type { Service, ServiceState } from "./service.ts";
