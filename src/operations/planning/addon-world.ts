import { readFile } from "node:fs/promises";
import path from "node:path";
import { addons, type AddonDefinition } from "../../addons/index.ts";
import type { AddonWorld } from "../../addons/steps/index.ts";
import { connectKube, type KubeClient } from "../../clients/kube/index.ts";
import { memoize } from "../../lib/index.ts";
import type { Distribution } from "../../plan/index.ts";
import { accountStore } from "../../secrets/index.ts";
import { type Cluster, kindNamed } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { accountNotHere } from "../errors.ts";

/** The add-ons that clusters may have. */
export const addonsOf = (world: World): readonly AddonDefinition[] => world.addons ?? addons;

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
        calls: world.calls,
      });
      apis.set(cluster.name, kube);
      return kube;
    },
    async openHelm(cluster, onLine) {
      const kubeconfig = cluster && (await distribution.kubeconfig(cluster));
      return world.openHelm({
        kubeconfig,
        dial: cluster?.network.jump && world.dialFor(cluster.name),
        onLine,
      });
    },
    renderFolder: path.join(world.folder, "helm", "rendered"),
    resolveSecret: (ref, what) => world.resolveSecret(ref, what),
    madeSecret: madeSecrets(world),
    fetchText: memoize((url) => world.fetchText(url)),
    readText: (file) => readFile(file, "utf8"),
  };
}

/** Each is found, or made when it is first asked for. */
function madeSecrets(world: World): AddonWorld["madeSecret"] {
  const { folder, secretFiles: files, wall: clock, random } = world;
  const openSecrets = memoize(async (name) => {
    const installation = await kindNamed(addonsOf(world), name)?.install();
    return installation?.openSecrets?.({ files, clock, random });
  });
  return async (cluster, secret) => {
    if (secret === "cloudAccount") {
      const text = await accountStore(folder, files).text(cluster.name);
      if (text === undefined) throw accountNotHere(cluster.name);
      return text;
    }
    const [name = "", key = ""] = secret.split("/");
    const addon = cluster.addons.find((each) => each.name === name);
    const secrets = await openSecrets(name);
    if (!addon || !secrets) throw new Error(`no add-on of ${cluster.name} makes ${secret}`);
    return secrets.text(key, addon, cluster);
  };
}
