import type { Position } from "../../errors/index.ts";
import type { SecretRef } from "./secret.ts";

/** A host to go through by SSH. What is absent, the user's own SSH settings decide. */
export interface Jump {
  /** A name, an address, or a Host of ~/.ssh/config. */
  host: string;
  user?: string | undefined;
  port?: number | undefined;
  /** Relative to the cluster file, or below `~`. */
  keyFile?: string;
  passphrase?: SecretRef;
  knownHostsFile?: string;
  /** Its key is trusted when it is first seen, and remembered. */
  acceptsNew?: true;
  /** Who speaks SSH: we, or the user's own program. Absent: whoever can. */
  transport?: "builtin" | "openssh";
  at: Position;
}
