import type { AnyResource, AskHealthyNodes, Distribution } from "../../../plan/index.ts";
import { isK3s, type Cluster, type K3sCluster } from "../../../spec/index.ts";
import { rememberedNodes } from "../../kubernetes/index.ts";
import { guestOf, systemStep, type Guest } from "../../linux/index.ts";
import { k3sAccessFiles, kubeconfigFile } from "./access-files.ts";
import { k3sArtifacts } from "./artifacts.ts";
import { describeK3s, describeLeavers } from "./describe.ts";
import { examineNodes } from "./examine.ts";
import { k3sHealth } from "./health.ts";
import { K3sAccess, type K3sWorld } from "./k3s-access.ts";
import { k3sKubernetesApi } from "./kubernetes-api.ts";
import { lookAtNodes } from "./look.ts";
import { k3sMembership } from "./membership.ts";
import { k3sNames } from "./names.ts";
import { k3sNode } from "./node.ts";
import { k3sNodeObject } from "./node-object.ts";
import { k3sNodesReady } from "./nodes-ready.ts";
import { k3sPreflight } from "./preflight.ts";
import { k3sSecrets } from "./secrets.ts";
import { healthyNodes } from "./healthy-nodes.ts";
import { apiStep, serversOf } from "./step-names.ts";

/** K3s as a distribution. The systems of its machines are those of plain Linux, whose resource waits for them. */
export function k3sDistribution(world: K3sWorld): Distribution {
  const access = new K3sAccess(world);
  const known = new Map<string, K3sCluster>();
  const askHealthyNodes: AskHealthyNodes = async (name) => {
    const cluster = known.get(name);
    return (
      cluster && {
        controlPlanes: serversOf(cluster).map((node) => node.name),
        healthy: await healthyNodes(access, cluster),
      }
    );
  };
  const findGuest = (name: string, node: string): Guest | undefined => {
    const cluster = known.get(name);
    const found = cluster?.nodes.find((each) => each.name === node);
    return cluster && found && guestOf(cluster, found);
  };
  const resources: AnyResource[] = [
    k3sSecrets(access),
    k3sAccessFiles(access),
    k3sArtifacts(access),
    k3sNode(access, askHealthyNodes),
    k3sMembership(access),
    k3sKubernetesApi(access, findGuest),
    k3sNames(access),
    k3sNodesReady(access),
    k3sNodeObject(access),
  ];
  return {
    resources,
    async describe(cluster, machines) {
      known.set(cluster.name, k3sOf(cluster));
      return describeK3s(k3sOf(cluster), machines);
    },
    apiStep: (cluster) => apiStep(cluster.name),
    kubeconfig: (cluster) => access.kubeconfig(cluster.name, cluster.endpoint),
    installedStep: (cluster, node) => systemStep(cluster.name, node),
    seedStep: () => undefined,
    describeLeavers: (cluster, nodes) => describeLeavers(k3sOf(cluster), nodes),
    preflight: (cluster, existing) => k3sPreflight(access, k3sOf(cluster), existing),
    health: (cluster) => k3sHealth(access, k3sOf(cluster)),
    healthyNodes: (cluster) => healthyNodes(access, k3sOf(cluster)),
    look: (cluster, signal) => lookAtNodes(access, k3sOf(cluster), signal),
    // A server that comes again is taken out of etcd first; see forget-node.
    remember: async (cluster, signal) =>
      (await access.findBundle(cluster.name))
        ? ((await rememberedNodes(() => access.kube(cluster.name, cluster.endpoint), signal)) ?? new Map())
        : new Map(),
    examine: (cluster, signal) => examineNodes(access, k3sOf(cluster), signal),
    outputs: (cluster) => ({
      endpoint: cluster.endpoint,
      kubeconfig: kubeconfigFile(access, cluster.name),
      ssh: `slipway ssh ${cluster.name}/${cluster.nodes[0]?.name ?? "NODE"}`,
    }),
  };
}

function k3sOf(cluster: Cluster): K3sCluster {
  if (!isK3s(cluster)) throw new Error(`cluster ${cluster.name} does not run K3s`);
  return cluster;
}
