import { isNodeReady } from "../../../clients/kube/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import type { K3sCluster } from "../../../spec/index.ts";
import { membersEverywhere, votersIn } from "./etcd-members.ts";
import type { K3sAccess } from "./k3s-access.ts";
import { isSight, lookEverywhere } from "./node-sight.ts";
import { serversOf } from "./step-names.ts";

const patienceMs = 15_000;

/** A restarted node still counts as Ready for a while, so K3s on it must run as well; of servers etcd must be whole. */
export async function standingNodes(access: K3sAccess, cluster: K3sCluster): Promise<Set<string>> {
  if (!(await access.findBundle(cluster.name))) return new Set();
  const [sights, members, ready] = await Promise.all([
    lookEverywhere(access, cluster, patienceMs),
    membersEverywhere(access, cluster),
    readyNodes(access, cluster),
  ]);
  const wanted = serversOf(cluster).length;
  const standing = cluster.nodes.filter(({ name, role }) => {
    const sight = sights.get(name);
    if (!isSight(sight) || sight.unit.active !== "active") return false;
    // While a server leaves, there is one more.
    if (role === "control-plane") return (votersIn(members.get(name)) ?? 0) >= wanted;
    return ready?.has(name) === true;
  });
  return new Set(standing.map(({ name }) => name));
}

/** Undefined when Kubernetes does not answer. */
export async function readyNodes(
  access: K3sAccess,
  cluster: K3sCluster,
  signal?: AbortSignal,
): Promise<Set<string> | undefined> {
  try {
    const kube = await access.kube(cluster.name, cluster.endpoint);
    return new Set((await kube.nodes(signal)).filter(isNodeReady).map((node) => node.metadata.name));
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return undefined;
    throw thrown;
  }
}
