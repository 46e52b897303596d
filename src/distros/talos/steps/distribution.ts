import path from "node:path";
import type { AnyResource, Distribution } from "../../../plan/index.ts";
import { readPatchFiles } from "../patch-files.ts";
import { talosAccessFiles } from "./access-files.ts";
import { apiStep, describeLeavers, describeTalos, nodesStep } from "./describe.ts";
import { talosDrain } from "./drain.ts";
import { talosEtcd } from "./etcd.ts";
import { examineNodes } from "./examine.ts";
import { talosHealth } from "./health.ts";
import { talosKubernetesApi } from "./kubernetes-api.ts";
import { lookAtNodes } from "./look.ts";
import { talosNodeConfig } from "./node-config.ts";
import { talosNodeObject } from "./node-object.ts";
import { talosNodesReady } from "./nodes-ready.ts";
import { rememberNodes } from "./remember.ts";
import { runningContract } from "./running-contract.ts";
import { talosSecrets } from "./secrets.ts";
import { healthyNodes } from "./healthy-nodes.ts";
import { TalosAccess, type TalosWorld } from "./talos-access.ts";

/** Talos Linux as a distribution. */
export function talosDistribution(world: TalosWorld): Distribution {
  const access = new TalosAccess(world);
  const resources: AnyResource[] = [
    talosSecrets(access),
    talosAccessFiles(access),
    talosNodeConfig(access),
    talosEtcd(access),
    talosKubernetesApi(access),
    talosNodesReady(access),
    talosNodeObject(access),
    talosDrain(access),
  ];
  return {
    resources,
    async describe(cluster, machines) {
      const patchFiles = await readPatchFiles(cluster, path.dirname(cluster.at.file));
      return describeTalos(cluster, machines, patchFiles, await runningContract(access, cluster, machines));
    },
    apiStep: (cluster) => apiStep(cluster.name),
    kubeconfig: (cluster) => access.kubeconfig(cluster.name, cluster.endpoint),
    // A worker says nothing between its installation and the day a control plane answers for it.
    installedStep: (cluster) => nodesStep(cluster.name),
    describeLeavers,
    preflight: () => [],
    health: (cluster) => talosHealth(access, cluster),
    healthyNodes: (cluster) => healthyNodes(access, cluster),
    look: (cluster, signal) => lookAtNodes(access, cluster, signal),
    remember: (cluster, signal) => rememberNodes(access, cluster, signal),
    examine: (cluster, signal) => examineNodes(access, cluster, signal),
    outputs: (cluster) => ({
      endpoint: cluster.endpoint,
      kubeconfig: path.join(access.folderOf(cluster.name), "kubeconfig"),
      talosconfig: path.join(access.folderOf(cluster.name), "talosconfig"),
    }),
  };
}
