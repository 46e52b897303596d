import { isNodeReady } from "../../../clients/kube/index.ts";
import { errorData, SlipwayError } from "../../../errors/index.ts";
import type { Check, Finding } from "../../../plan/index.ts";
import { type Cluster, type Node, talosOf } from "../../../spec/index.ts";
import type { TalosAccess } from "./talos-access.ts";

/** What a healthy Talos cluster shows from outside, stage by stage. */
export const talosHealth = (access: TalosAccess, cluster: Cluster): Check[] => [
  {
    id: "talos-answers",
    title: "Talos answers",
    run: async () => {
      const versions = await askAll(cluster.nodes, (node) =>
        access.using(cluster.name, node.address, async (client) => (await client.version()).version),
      );
      return everyNode(
        cluster,
        versions,
        (version) => version === talosOf(cluster).version,
        talosOf(cluster).version,
      );
    },
  },
  {
    id: "etcd-healthy",
    title: "etcd healthy",
    run: async () => {
      const { controlPlanes, good } = await etcdVoters(access, cluster);
      const needed = controlPlanes.length;
      return verdict(
        good.length,
        needed,
        `${needed} voting members on each control plane`,
        missing(controlPlanes, good),
        cluster.name,
      );
    },
  },
  {
    id: "kubernetes-api",
    title: cluster.network.vip === undefined ? "Kubernetes API" : "Kubernetes API through the VIP",
    run: async () => {
      const kube = await access.kube(cluster.name, cluster.endpoint);
      const isReady = await kube.isReady();
      return verdict(
        isReady ? 1 : 0,
        1,
        `${cluster.endpoint} ready`,
        isReady ? [] : [cluster.endpoint],
        cluster.name,
      );
    },
  },
  {
    id: "nodes-ready",
    title: "Nodes Ready",
    run: async () => {
      const kube = await access.kube(cluster.name, cluster.endpoint);
      const ready = new Set((await kube.nodes()).filter(isNodeReady).map((node) => node.metadata.name));
      const good = cluster.nodes.filter((node) => ready.has(node.name));
      return verdict(
        good.length,
        cluster.nodes.length,
        "every node Ready",
        missing(cluster.nodes, good),
        cluster.name,
      );
    },
  },
  {
    id: "kubernetes-version",
    title: "Kubernetes version",
    run: async () => {
      const kube = await access.kube(cluster.name, cluster.endpoint);
      const found = await kube.version();
      const isRight = found === `v${cluster.kubernetes}`;
      return verdict(isRight ? 1 : 0, 1, `v${cluster.kubernetes}`, isRight ? [] : [found], cluster.name);
    },
  },
];

/** The control planes, and those of them whose etcd knows exactly these as voting members. */
async function etcdVoters(access: TalosAccess, cluster: Cluster) {
  const controlPlanes = cluster.nodes.filter((node) => node.role === "control-plane");
  const counts = await askAll(controlPlanes, (node) =>
    access.using(
      cluster.name,
      node.address,
      async (client) => (await client.etcdMembers()).filter((member) => !member.isLearner).length,
    ),
  );
  return {
    controlPlanes,
    good: controlPlanes.filter((node) => counts.get(node.name) === controlPlanes.length),
  };
}

/** A restarted node still counts as Ready for a while, so Talos on it must answer as well. */
export async function standingNodes(access: TalosAccess, cluster: Cluster): Promise<Set<string>> {
  if (!(await access.findBundle(cluster.name))) return new Set();
  const workers = cluster.nodes.filter((node) => node.role === "worker");
  const [{ good }, answers, ready] = await Promise.all([
    etcdVoters(access, cluster),
    askAll(workers, (node) => access.using(cluster.name, node.address, (client) => client.version())),
    readyNodes(access, cluster),
  ]);
  const standing = workers.filter(({ name }) => answers.has(name) && ready.has(name));
  return new Set([...good, ...standing].map((node) => node.name));
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

function everyNode<T>(
  cluster: Cluster,
  answers: Map<string, T>,
  isGood: (answer: T) => boolean,
  needed: string,
): Finding {
  const good = cluster.nodes.filter((node) => {
    const answer = answers.get(node.name);
    return answer !== undefined && isGood(answer);
  });
  return verdict(good.length, cluster.nodes.length, needed, missing(cluster.nodes, good), cluster.name);
}

const missing = (all: Node[], good: Node[]): string[] =>
  all.filter((node) => !good.includes(node)).map((node) => node.name);

function verdict(good: number, all: number, needed: string, bad: string[], cluster: string): Finding {
  const found =
    bad.length === 0 ? `${good} of ${all}` : `${good} of ${all}: not ${bad.slice(0, 3).join(", ")}`;
  if (bad.length === 0) return { status: "ok", needed, found };
  const error = new SlipwayError({
    code: "VERIFY_NOT_HEALTHY",
    what: `Cannot call "${cluster}" healthy`,
    why: `needed ${needed}, found ${found}`,
    next: `Look at ${bad[0] ?? cluster}: slipway status ${cluster}; "slipway up ${cluster}" goes on from here`,
  });
  return { status: "failed", needed, found, error: errorData(error) };
}
