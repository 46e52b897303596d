import { limitTime } from "../../../lib/index.ts";
import type { NodeLook } from "../../../plan/index.ts";
import type { K3sCluster } from "../../../spec/index.ts";
import type { K3sAccess } from "./k3s-access.ts";
import { isSight, lookEverywhere } from "./node-sight.ts";
import { readyNodes } from "./healthy-nodes.ts";

const patienceMs = 5_000;

/** One quick look at every node, by SSH and through Kubernetes. Never fails: partial truth beats none. */
export async function lookAtNodes(
  access: K3sAccess,
  cluster: K3sCluster,
  signal: AbortSignal,
): Promise<Map<string, NodeLook>> {
  if (!(await access.findBundle(cluster.name))) return new Map();
  const known = limitTime(patienceMs, "late", signal, (limit) => readyNodes(access, cluster, limit));
  const [sights, ready] = await Promise.all([
    lookEverywhere(access, cluster, patienceMs, signal),
    known.catch(() => undefined),
  ]);
  const looks = cluster.nodes.map(({ name }): [string, NodeLook] => {
    const sight = sights.get(name);
    const isReady = ready && { isReady: ready.has(name) };
    if (!isSight(sight)) return [name, { silence: sight?.silence ?? "nobody asked", ...isReady }];
    const k3s = sight.version === undefined ? "" : `, K3s ${sight.version}`;
    const release = sight.version === undefined ? {} : { release: `K3s ${sight.version}` };
    return [name, { software: `${sight.release}${k3s}`, ...release, ...isReady }];
  });
  return new Map(looks);
}
