import { isNodeReady } from "../../../clients/kube/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import type { Cluster, Node } from "../../../spec/index.ts";
import { askEtcdStatus, membersOf } from "../steps/etcd-status.ts";
import { hasFollowedConfig } from "../steps/node/static-pods.ts";
import type { TalosAccess } from "../talos-access.ts";

const settleMs = 2_000;

/** A restarted node still counts as Ready for a while, so Talos on it must answer as well. */
export async function healthyNodes(access: TalosAccess, cluster: Cluster): Promise<Set<string>> {
  if (!(await access.findBundle(cluster.name))) return new Set();
  const workers = cluster.nodes.filter((node) => node.role === "worker");
  const [controlPlanes, answers, ready] = await Promise.all([
    workingControlPlanes(access, cluster),
    askAll(workers, (node) => access.using(cluster.name, node.address, (client) => client.version())),
    readyNodes(access, cluster),
  ]);
  const working = workers.filter(({ name }) => answers.has(name) && ready.has(name));
  return new Set([...controlPlanes, ...working].map((node) => node.name));
}

/** The control planes that vote and know as many voters as any of them does, and whose static pods are ready. */
async function workingControlPlanes(access: TalosAccess, cluster: Cluster): Promise<Node[]> {
  const controlPlanes = cluster.nodes.filter((node) => node.role === "control-plane");
  const { clock } = access.world;
  const openKube = () => access.kube(cluster.name, cluster.endpoint);
  const answers = await askAll(controlPlanes, (node) =>
    access.using(cluster.name, node.address, async (client) => {
      const status = await client.machineStatus();
      const isUp = status?.stage === "running" && !status.unmet.some(({ name }) => name === "staticPods");
      if (!isUp || (await askEtcdStatus(client))?.state !== "Running") return [];
      // It works, and soon it is known whether it goes on doing so: called ill now, its way back would not be waited for.
      while (!(await hasFollowedConfig(client, node.name, clock.now(), openKube)))
        await clock.sleep(settleMs);
      return (await membersOf(client)).filter((member) => !member.isLearner).map(({ hostname }) => hostname);
    }),
  );
  const most = Math.max(0, ...[...answers.values()].map((voters) => voters.length));
  return controlPlanes.filter(({ name }) => {
    const voters = answers.get(name) ?? [];
    return voters.length === most && voters.includes(name);
  });
}

/** The control plane whose etcd leads the others, as it says itself. */
export async function etcdLeader(access: TalosAccess, cluster: Cluster): Promise<string | undefined> {
  if (!(await access.findBundle(cluster.name))) return undefined;
  const controlPlanes = cluster.nodes.filter((node) => node.role === "control-plane");
  const answers = await askAll(controlPlanes, (node) =>
    access.using(cluster.name, node.address, (client) => client.etcdStatus()),
  );
  return [...answers].find(([, status]) => status !== undefined && status.memberId === status.leaderId)?.[0];
}

async function readyNodes(access: TalosAccess, cluster: Cluster): Promise<Set<string>> {
  try {
    const kube = await access.kube(cluster.name, cluster.endpoint);
    return new Set((await kube.nodes()).filter(isNodeReady).map((node) => node.metadata.name));
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return new Set();
    throw thrown;
  }
}

/** Asks every node at once; one that does not answer is simply missing from the answers. */
async function askAll<T>(nodes: Node[], ask: (node: Node) => Promise<T>): Promise<Map<string, T>> {
  const answers = await Promise.all(
    nodes.map(async (node): Promise<[string, T][]> => {
      try {
        return [[node.name, await ask(node)]];
      } catch (thrown) {
        if (thrown instanceof SlipwayError) return [];
        throw thrown;
      }
    }),
  );
  return new Map(answers.flat());
}
