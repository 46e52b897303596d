import type { GuestSystem } from "./linux.ts";

/** A distribution that is not built in, on machines from a cloud image. */
export interface OtherDistribution extends GuestSystem {
  kind: "other";
  /** Its key in the cluster file. */
  name: string;
  /** What else stood under its key; it alone reads it. */
  options: unknown;
}
