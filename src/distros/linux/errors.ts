import { defineError } from "../../errors/index.ts";

export const machinesNotHealthy = defineError(
  "RUN_NOT_HEALTHY",
  (f: { cluster: string; nodes: [string, ...string[]]; needed: string }) => ({
    what: `"${f.cluster}" is not healthy`,
    why: `${f.nodes.join(", ")}: not as needed (${f.needed})`,
    next: `Look at it: slipway ssh ${f.cluster}/${f.nodes[0]} -- cloud-init status --long; slipway console shows how it starts`,
  }),
);
