import { limitTime } from "../../../lib/index.ts";
import type { QuickStatus } from "../../../plan/index.ts";
import type { K3sCluster } from "../../../spec/index.ts";
import type { K3sAccess } from "../k3s-access.ts";
import { hasAnswered, askAllNodes } from "./node-status.ts";
import { readyNodes } from "./healthy-nodes.ts";

const patienceMs = 5_000;

/** One quick look at every node, by SSH and through Kubernetes. Never fails: partial truth beats none. */
export async function askNodeStatuses(
  access: K3sAccess,
  cluster: K3sCluster,
  signal: AbortSignal,
): Promise<Map<string, QuickStatus>> {
  if (!(await access.findBundle(cluster.name))) return new Map();
  const known = limitTime(access.world.clock, patienceMs, "late", signal, (limit) =>
    readyNodes(access, cluster, limit),
  );
  const [nodeStatuses, ready] = await Promise.all([
    askAllNodes(access, cluster, patienceMs, signal),
    known.catch(() => undefined),
  ]);
  const looks = cluster.nodes.map(({ name }): [string, QuickStatus] => {
    const nodeStatus = nodeStatuses.get(name);
    const isReady = ready && { isReady: ready.has(name) };
    if (!hasAnswered(nodeStatus))
      return [name, { unreachableBecause: nodeStatus?.unreachableBecause ?? "not asked", ...isReady }];
    const k3s = nodeStatus.version === undefined ? "" : `, K3s ${nodeStatus.version}`;
    const release = nodeStatus.version === undefined ? {} : { release: `K3s ${nodeStatus.version}` };
    return [name, { software: `${nodeStatus.release}${k3s}`, ...release, ...isReady }];
  });
  return new Map(looks);
}
