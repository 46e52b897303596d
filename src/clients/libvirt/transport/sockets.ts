import type { Driver } from "./uri.ts";

/** One daemon for each purpose (newer distributions), then one for all. Both answer for everything we ask. */
const names = ["virtqemud-sock", "libvirt-sock"];

/** Where the daemon may listen. `runtime` is the user's own folder, needed for the session's daemon only. */
export function socketPaths(driver: Driver, runtime: string): string[] {
  const folder = driver === "qemu:///system" ? "/run" : runtime;
  return names.map((name) => `${folder}/libvirt/${name}`);
}
