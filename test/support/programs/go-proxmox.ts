import { labFile } from "../peers.ts";

export const howToGetGoProxmox = "build it with lab/build-probe.sh go-proxmox-probe";

/** A small program on the real go-proxmox library. */
export function findGoProxmox(): string | undefined {
  return labFile("go-proxmox-probe");
}
