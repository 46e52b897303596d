import { readFile } from "node:fs/promises";
import path from "node:path";
import { connectKube, type KubeClient } from "../../../src/clients/kube/index.ts";
import type { RehearsalSite } from "./rehearsal-site.ts";

/** The Kubernetes API of a cluster of a rehearsal, by the kubeconfig that Slipway has written. */
export async function openKube(site: RehearsalSite, cluster = "lab"): Promise<KubeClient> {
  const world = site.rehearsal.world(new AbortController().signal, () => {});
  const kubeconfig = await readFile(path.join(site.folder, cluster, "kubeconfig"), "utf8");
  return connectKube({ kubeconfig, clock: world.clock, dial: world.dialFor(cluster) });
}
