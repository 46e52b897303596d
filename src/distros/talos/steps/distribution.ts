import path from "node:path";
import type { AnyResource, AskHealthyNodes, Distribution } from "../../../plan/index.ts";
import { readPatchFiles } from "../patch-files.ts";
import { talosAccessFiles } from "./access-files.ts";
import { talosOf, type Cluster } from "../../../spec/index.ts";
import { renderConfig } from "./config-files-render.ts";
import { apiStep, describeLeavers, describeTalos, nodesStep, secretsStep } from "./describe.ts";
import { talosDrain } from "./drain.ts";
import { talosEtcd } from "./etcd.ts";
import { examineNodes } from "./examine.ts";
import { talosHealth } from "./health.ts";
import { talosKubernetesApi } from "./kubernetes-api.ts";
import { lookAtNodes } from "./look.ts";
import { talosNodeConfig } from "./node-config.ts";
import type { NodeConfigWant } from "./node-config-want.ts";
import { talosNodeObject } from "./node-object.ts";
import { talosNodesReady } from "./nodes-ready.ts";
import { rememberNodes } from "./remember.ts";
import { runningContract } from "./running-contract.ts";
import { talosSecrets } from "./secrets.ts";
import { healthyNodes } from "./healthy-nodes.ts";
import { TalosAccess, type TalosWorld } from "./talos-access.ts";

export interface TalosFamily extends Distribution {
  /** The config with which a node starts, of a cluster that was described before. */
  firstConfig(cluster: string, node: string): Promise<string>;
}

/** Talos Linux as a distribution. */
export function talosDistribution(world: TalosWorld): TalosFamily {
  const access = new TalosAccess(world);
  const described = new Map<string, NodeConfigWant>();
  const known = new Map<string, Cluster>();
  const askHealthyNodes: AskHealthyNodes = async (name) => {
    const cluster = known.get(name);
    if (!cluster) return undefined;
    const controlPlanes = cluster.nodes.filter(({ role }) => role === "control-plane");
    return {
      controlPlanes: controlPlanes.map((node) => node.name),
      healthy: await healthyNodes(access, cluster),
    };
  };
  const resources: AnyResource[] = [
    talosSecrets(access),
    talosAccessFiles(access),
    talosNodeConfig(access, askHealthyNodes),
    talosEtcd(access),
    talosKubernetesApi(access),
    talosNodesReady(access),
    talosNodeObject(access),
    talosDrain(access),
  ];
  return {
    resources,
    async describe(cluster, machines) {
      known.set(cluster.name, cluster);
      const patchFiles = await readPatchFiles(cluster, path.dirname(cluster.at.file));
      const contract = await runningContract(access, cluster, machines);
      const graph = describeTalos(cluster, machines, patchFiles, contract);
      const configs = graph
        .filter(({ kind }) => kind === "talos/config")
        .map(({ want }) => want as NodeConfigWant);
      for (const config of configs) described.set(`${config.cluster}/${config.node}`, config);
      return graph;
    },
    async firstConfig(cluster, node) {
      const config = described.get(`${cluster}/${node}`);
      if (!config) throw new Error(`the config of ${node} was not described`);
      return renderConfig(access, cluster, config.intent);
    },
    seedStep: (cluster) => (talosOf(cluster).firstContact === "seed" ? secretsStep(cluster.name) : undefined),
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
