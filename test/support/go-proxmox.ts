import path from "node:path";
import { isProgram, labCache } from "./client-lab.ts";

export const howToGetGoProxmox = "build it with lab/build-go-proxmox-probe.sh";

/** A small program on the real go-proxmox library. */
export function findGoProxmox(): string | undefined {
  const program = path.join(labCache(), "go-proxmox-probe");
  return isProgram(program) ? program : undefined;
}
