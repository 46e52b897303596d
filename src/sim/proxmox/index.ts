/** A Proxmox VE cluster that exists only in this process: its API over real HTTPS, answered as recorded from real servers. */
export { simulatedInternet, type Download, type DownloadProblem, type Internet } from "./nodes/internet.ts";
export type { NodePower } from "./nodes/node-power.ts";
export { startProxmox, type ProxmoxOptions, type SimProxmox } from "./start.ts";
export type { ProxmoxState } from "./state.ts";
