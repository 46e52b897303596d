import type { Clock, Dial, Random } from "./lib/index.ts";
import type { Tell } from "./plan/index.ts";
import type { Host } from "./spec/index.ts";
import type { ProxmoxClient } from "./clients/proxmox/index.ts";

/** All that Slipway touches outside itself. Tests and rehearsals pass a simulated one. */
export interface World {
  kind: "real" | "rehearsal";
  clock: Clock;
  random: Random;
  dial: Dial;
  /** Where secrets, access files and journals live: `.slipway` beside the cluster file. */
  folder: string;
  openProxmox(host: Host): Promise<ProxmoxClient>;
  /** Aborted by the first Ctrl-C: start nothing new, end waits. */
  stop: AbortSignal;
  tell: Tell;
}
