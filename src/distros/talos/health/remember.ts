import type { Limits } from "../../../lib/index.ts";
import type { RememberedNode } from "../../../plan/index.ts";
import type { Cluster } from "../../../spec/index.ts";
import { rememberedNodes, unlessUnreachable } from "../../kubernetes/index.ts";
import type { TalosAccess } from "../talos-access.ts";

/** What Kubernetes and etcd still know of nodes, whatever became of their machines. */
export async function rememberNodes(
  access: TalosAccess,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<Map<string, RememberedNode>> {
  if (!(await access.findBundle(cluster.name))) return new Map();
  const limits = { clock: access.world.clock, signal };
  const [nodes, members] = await Promise.all([
    rememberedNodes(() => access.kube(cluster.name, cluster.endpoint), limits),
    memberNames(access, cluster, limits),
  ]);
  const all = new Map(nodes);
  for (const name of members) all.set(name, { isReady: false, ...all.get(name), isMember: true });
  return all;
}

/** Of the control planes that answer, each tells of all. */
async function memberNames(access: TalosAccess, cluster: Cluster, limits: Limits): Promise<Set<string>> {
  const controlPlanes = cluster.nodes.filter(({ role }) => role === "control-plane");
  const lists = await Promise.all(
    controlPlanes.map(({ address }) =>
      unlessUnreachable(limits, (limit) =>
        access.using(cluster.name, address, (node) => node.etcdMembers({ signal: limit })),
      ),
    ),
  );
  return new Set(lists.flatMap((members) => (members ?? []).map(({ hostname }) => hostname)));
}
