import { readFile } from "node:fs/promises";
import path from "node:path";
import type { AddonWorld, MadeSecret } from "../addons/index.ts";
import { connectKube, type KubeClient } from "../clients/kube/index.ts";
import { keepAnswers } from "../lib/index.ts";
import type { Distribution } from "../plan/index.ts";
import { accountStore, rancherStore, type RancherKeys } from "../secrets/index.ts";
import { findAddon, type Cluster } from "../spec/index.ts";
import type { World } from "../world.ts";
import { accountNotHere } from "./errors.ts";

/** What add-ons see of the world: clusters through the access their distribution gives. */
export function addonWorld(world: World, distribution: Distribution): AddonWorld {
  const apis = new Map<string, KubeClient>();
  const made = madeSecrets(world);
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
    madeSecret: (cluster, name) => made[name](cluster),
    fetchText: keepAnswers((url) => world.fetchText(url)),
    readText: (file) => readFile(file, "utf8"),
  };
}

type Made = Record<MadeSecret, (cluster: Cluster) => Promise<string>>;

/** Each is found, or made when it is first asked for. */
function madeSecrets({ folder, secretFiles: files, wall: clock, random }: World): Made {
  const rancher = rancherStore({ files, clock, random });
  const ofRancher = (part: (keys: RancherKeys) => string) => async (cluster: Cluster) => {
    const addon = findAddon(cluster, "rancher");
    if (!addon) throw new Error(`cluster ${cluster.name} runs no Rancher`);
    return part(await rancher.ensure(cluster.name, addon.options.hostname));
  };
  return {
    async cloudAccount({ name }) {
      const text = await accountStore(folder, files).text(name);
      if (text === undefined) throw accountNotHere(name);
      return text;
    },
    rancherPassword: ofRancher(({ password }) => password),
    rancherAuthority: ofRancher(({ authority }) => authority.cert),
    rancherCertificate: ofRancher(({ certificate }) => certificate.cert),
    rancherKey: ofRancher(({ certificate }) => certificate.key),
  };
}
