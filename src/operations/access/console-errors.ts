import { defineError } from "../../errors/index.ts";

export const machineAbsent = defineError("RUN_NOT_UP_YET", (name: string, cluster: string) => ({
  what: `Cannot open the console of "${name}"`,
  why: "no machine carries its mark",
  next: `Bring it up first: slipway up ${cluster}`,
}));

export const machineOff = defineError("RUN_MACHINE_OFF", (name: string, cluster: string) => ({
  what: `Cannot open the console of "${name}"`,
  why: "its machine is off",
  next: `Start it: slipway up ${cluster}`,
}));

export const consoleElsewhere = defineError("RUN_NO_CONSOLE", (name: string, url: string) => ({
  what: `Cannot open the console of "${name}" here`,
  why: "its machine runs on Proxmox, whose consoles open in a browser only",
  next: `Use the browser: ${url}`,
}));
