import { readFile } from "node:fs/promises";
import path from "node:path";
import type { AddonWorld } from "../addons/index.ts";
import { connectKube, type KubeClient } from "../clients/kube/index.ts";
import { keepAnswers } from "../lib/index.ts";
import type { Distribution } from "../plan/index.ts";
import { accountStore } from "../secrets/index.ts";
import type { Cluster } from "../spec/index.ts";
import type { World } from "../world.ts";
import { accountNotHere } from "./errors.ts";

/** What add-ons see of the world: clusters through the access their distribution gives. */
export function addonWorld(world: World, distribution: Distribution): AddonWorld {
  const apis = new Map<string, KubeClient>();
  return {
    async openKube(cluster: Cluster) {
      const known = apis.get(cluster.name);
      if (known) return known;
      const kubeconfig = await distribution.kubeconfig(cluster);
      if (kubeconfig === undefined) return undefined;
      const kube = connectKube({
        kubeconfig,
        dial: world.dialFor(cluster.name),
        clock: world.clock,
      });
      apis.set(cluster.name, kube);
      return kube;
    },
    async openHelm(cluster, onLine) {
      const kubeconfig = cluster && (await distribution.kubeconfig(cluster));
      return world.openHelm({
        ...(kubeconfig !== undefined && { kubeconfig }),
        ...(cluster?.network.jump && { dial: world.dialFor(cluster.name) }),
        ...(onLine && { onLine }),
      });
    },
    renderFolder: path.join(world.folder, "helm", "rendered"),
    resolveSecret: (ref, what) => world.resolveSecret(ref, what),
    async cloudAccount(cluster) {
      const text = await accountStore(world.folder, world.secretFiles).text(cluster);
      if (text === undefined) throw accountNotHere(cluster);
      return text;
    },
    fetchText: keepAnswers((url) => world.fetchText(url)),
    readText: (file) => readFile(file, "utf8"),
  };
}
