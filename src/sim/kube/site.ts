import type { SimNetwork } from "../network.ts";
import type { Cluster } from "./controllers/controller.ts";

/** What the clusters of one datacenter see of each other, and of the DNS around them. */
export interface Site {
  /** What the DNS servers of the site answer, by name. */
  names: Map<string, string[]>;
  /** Clusters of which an API server runs. */
  clusters: Set<Cluster>;
}

export const newSite = (): Site => ({ names: new Map(), clusters: new Set() });

const sites = new WeakMap<SimNetwork, Site>();

/** Clusters on the same wires can reach each other. */
export function siteOn(network: SimNetwork): Site {
  const wires = network.whole ?? network;
  const known = sites.get(wires) ?? newSite();
  sites.set(wires, known);
  return known;
}
