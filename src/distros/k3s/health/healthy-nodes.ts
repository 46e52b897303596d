import { isNodeReady, type KubeNode } from "../../../clients/kube/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import { limitTime, TimeLimitError } from "../../../lib/index.ts";
import type { K3sCluster, Node } from "../../../spec/index.ts";
import { guestOf } from "../../linux-hosts/index.ts";
import { unitName } from "../files/unit-file.ts";
import { membersEverywhere, votersIn } from "./etcd-members.ts";
import type { K3sAccess } from "../k3s-access.ts";
import { serversOf } from "../step-names.ts";

const patienceMs = 15_000;

/** A restarted node still counts as Ready for a while, so K3s on it must run as well; servers show by etcd that they do. */
export async function healthyNodes(access: K3sAccess, cluster: K3sCluster): Promise<Set<string>> {
  if (!(await access.findBundle(cluster.name))) return new Set();
  const agents = cluster.nodes.filter(({ role }) => role === "worker");
  const [members, ready, running] = await Promise.all([
    membersEverywhere(access, cluster),
    readyNodes(access, cluster),
    Promise.all(agents.map(async (node) => ((await isRunning(access, cluster, node)) ? [node.name] : []))),
  ]);
  const servers = serversOf(cluster);
  // While a server leaves, there is one more.
  const voting = servers.filter(({ name }) => (votersIn(members.get(name)) ?? 0) >= servers.length);
  const working = running.flat().filter((name) => ready?.has(name) === true);
  return new Set([...voting.map(({ name }) => name), ...working]);
}

async function isRunning(access: K3sAccess, cluster: K3sCluster, node: Node): Promise<boolean> {
  try {
    const unit = await limitTime(access.world.clock, patienceMs, "late", undefined, (signal) =>
      access.using(guestOf(cluster, node), (host) => host.unit(unitName("agent"), signal)),
    );
    return unit.active === "active";
  } catch (thrown) {
    if (thrown instanceof SlipwayError || thrown instanceof TimeLimitError) return false;
    throw thrown;
  }
}

/** Undefined when Kubernetes does not answer. */
async function readyNodes(access: K3sAccess, cluster: K3sCluster): Promise<Set<string> | undefined> {
  const known = await kubeNodes(access, cluster);
  return known && new Set(known.filter(isNodeReady).map((node) => node.metadata.name));
}

/** What Kubernetes knows of its nodes; undefined when it does not answer. */
export async function kubeNodes(
  access: K3sAccess,
  cluster: K3sCluster,
  signal?: AbortSignal,
): Promise<KubeNode[] | undefined> {
  try {
    const kube = await access.kube(cluster.name, cluster.endpoint);
    return await kube.nodes(signal);
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return undefined;
    throw thrown;
  }
}
