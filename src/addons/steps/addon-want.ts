import type { Addon, Cluster } from "../../spec/index.ts";
import type { AddonInput, AddonPart, Readiness } from "../common/index.ts";

/** An add-on with everything decided: plain data, secrets by reference only. */
export interface AddonWant {
  cluster: Cluster;
  addon: Addon;
  definition: string;
  version: string;
  names: string[];
  parts: AddonPart[];
  readiness: Readiness;
}

export const inputOf = ({ addon, cluster, version, names }: AddonWant): AddonInput => ({
  addon,
  cluster,
  version,
  names: new Set(names),
});
