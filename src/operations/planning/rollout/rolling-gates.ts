import type { KubeClient } from "../../../clients/kube/index.ts";
import { emptyForRestart, release, restartMark, storageTrouble } from "../../../distros/kubernetes/index.ts";
import type { Distribution, RollingGates } from "../../../plan/index.ts";
import { rolloutOf, type Cluster, type Node } from "../../../spec/index.ts";
import type { World } from "../../../world/index.ts";
import { drainStuck } from "../errors.ts";
import { ownTrouble } from "./own-gates.ts";

/** What rolling changes ask of the clusters of a file; each part is found when it is needed. */
interface Asked {
  clusterNamed(name: string): Cluster | undefined;
  healthyNodes: Distribution["healthyNodes"];
  handOver: NonNullable<Distribution["handOver"]>;
  openKube(cluster: Cluster): Promise<KubeClient | undefined>;
}

/** The gates between the nodes of a rolling change, as the file of each cluster sets them. */
export function rollingGates(parts: Asked, world: World): RollingGates {
  const { clusterNamed, healthyNodes, handOver, openKube } = parts;
  const kubeOf = async (name: string): Promise<KubeClient | undefined> => {
    const cluster = clusterNamed(name);
    return cluster && openKube(cluster);
  };
  return {
    async healthyNodes(name, among) {
      const cluster = clusterNamed(name);
      if (!cluster) return undefined;
      const isControlPlane = ({ role }: Node): boolean => role === "control-plane";
      const controlPlanes = cluster.nodes.filter(isControlPlane).map((node) => node.name);
      const asked = new Set(among?.(controlPlanes) ?? cluster.nodes.map((node) => node.name));
      // Whether one of them is whole shows beside the others.
      const isShared = controlPlanes.some((each) => asked.has(each));
      const nodes = cluster.nodes.filter(
        (node) => asked.has(node.name) || (isShared && isControlPlane(node)),
      );
      return { controlPlanes, healthy: await healthyNodes({ ...cluster, nodes }) };
    },
    async storageTrouble(name) {
      const cluster = clusterNamed(name);
      if (!cluster || rolloutOf(cluster).storage === "ignore") return undefined;
      const kube = await openKube(cluster);
      return kube && storageTrouble(kube);
    },
    async ownTrouble(name) {
      const cluster = clusterNamed(name);
      return cluster ? ownTrouble(cluster, openKube, world) : [];
    },
    async drain(ctx, name, node) {
      const cluster = clusterNamed(name);
      const kube = cluster && (await openKube(cluster));
      if (!cluster || !kube) return;
      const drainMs = rolloutOf(cluster).drain.timeoutMs;
      await emptyForRestart(ctx, kube, { node, drainMs, reason: restartMark }, (cause) =>
        drainStuck({ cluster: name, node, why: cause.why, cause }),
      );
      await handOver(ctx, cluster, node);
    },
    async letPodsIn(name, node) {
      const kube = await kubeOf(name);
      if (kube) await release(kube, node);
    },
  };
}
