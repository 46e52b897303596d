import type { SimNetwork } from "../network.ts";
import type { Site } from "./controllers/controller.ts";

export const newSite = (): Site => ({ names: new Map(), clusters: new Set(), programs: [] });

const sites = new WeakMap<SimNetwork, Site>();

/** Clusters on the same wires can reach each other. */
export function siteOn(network: SimNetwork): Site {
  const wires = network.whole ?? network;
  const known = sites.get(wires) ?? newSite();
  sites.set(wires, known);
  return known;
}
