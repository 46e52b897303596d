import { addons as allAddons } from "../index.ts";
import { type Cluster, parseFleet } from "../../spec/index.ts";

/** A cluster of the usual kind with these add-ons, as YAML below `addons:`. */
export function addonCluster(addons: string, more = ""): Cluster {
  const text = `version: 1
hosts:
  hydra:
    proxmox: { url: "https://192.168.1.10:8006", token: { id: slipway@pve!main, secret: { env: PVE_TOKEN } } }
clusters:
  homelab:
    network: { cidr: 192.168.1.0/24, vip: .100 }
    controlPlanes: { count: 3 }
    workers: { count: 2, vmid: 211, dataDisks: [{ size: 50GiB, for: longhorn }] }
    ${more}
    addons:
${addons.trimEnd().replace(/^/gm, "      ")}
`;
  const parsed = parseFleet({ file: "slipway.yaml", text }, { addons: allAddons });
  if ("problems" in parsed) throw new Error(parsed.problems.map(({ what }) => what).join("\n"));
  const [cluster] = parsed.fleet.clusters;
  if (!cluster) throw new Error("no cluster");
  return cluster;
}
