import { SlipwayError } from "../errors/index.ts";

export const machineAbsent = (name: string, cluster: string) =>
  new SlipwayError({
    code: "RUN_NOT_UP_YET",
    what: `Cannot open the console of "${name}"`,
    why: "no machine carries its mark",
    next: `Bring it up first: slipway up ${cluster}`,
  });

export const machineOff = (name: string, cluster: string) =>
  new SlipwayError({
    code: "RUN_MACHINE_OFF",
    what: `Cannot open the console of "${name}"`,
    why: "its machine is off",
    next: `Start it: slipway up ${cluster}`,
  });

export const consoleElsewhere = (name: string, url: string) =>
  new SlipwayError({
    code: "RUN_NO_CONSOLE",
    what: `Cannot open the console of "${name}" here`,
    why: "its machine runs on Proxmox, whose consoles open in a browser only",
    next: `Use the browser: ${url}`,
  });
