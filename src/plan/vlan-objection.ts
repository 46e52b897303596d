import { errorData } from "../errors/index.ts";
import { vlanSettled } from "./errors.ts";
import type { Objection } from "./resource.ts";

/** A cluster does not move to another VLAN while it runs; a single machine that strayed is brought back. */
export const vlanObjection = (cluster: string, from: string, to: string): Objection => ({
  topic: "VLAN",
  from,
  to,
  consequence: "disturb",
  error: errorData(vlanSettled({ cluster, from, to })),
  isStrayAmongOthers: true,
});
