import type { SimChart } from "./charts/index.ts";
import type { ClusterProgram } from "./kube/index.ts";

/** What stands for an add-on in a simulation: what is fetched to install it, and what its programs then do. */
export interface StandIn extends ClusterProgram {
  /** In every version they are kept in. */
  charts?: readonly SimChart[];
  /** Manifests published as files; undefined for addresses that are none of its. */
  manifest?(url: string): string | undefined;
}
