import { isNodeReady, type KubeNode } from "../../../clients/kube/index.ts";
import { describeCause, SlipwayError } from "../../../errors/index.ts";
import { limitTime } from "../../../lib/index.ts";
import type { NodeLook } from "../../../plan/index.ts";
import type { Cluster } from "../../../spec/index.ts";
import type { TalosAccess } from "./talos-access.ts";

/** Each source has this long; what did not answer by then is told as silent. */
const patienceMs = 3_000;

/** One quick look at every node, through Talos and through Kubernetes. Never fails: partial truth beats none. */
export async function lookAtNodes(
  access: TalosAccess,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<Map<string, NodeLook>> {
  if (!(await access.findBundle(cluster.name))) return new Map();
  const ready = readyNodes(access, cluster, signal);
  const looks = cluster.nodes.map(async (node): Promise<[string, NodeLook]> => {
    const answer = await orWhy(signal, `no answer within ${patienceMs / 1000}s`, () =>
      access.using(cluster.name, node.address, async (client) => (await client.version()).version),
    );
    const told = (await ready)?.get(node.name);
    const release = "value" in answer ? `Talos ${answer.value}` : undefined;
    return [
      node.name,
      {
        ...(release === undefined ? {} : { software: release, release }),
        ...("why" in answer && { silence: answer.why }),
        ...told,
      },
    ];
  });
  return new Map(await Promise.all(looks));
}

async function readyNodes(
  access: TalosAccess,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<Map<string, Pick<NodeLook, "isReady" | "kubernetes">> | undefined> {
  const answer = await orWhy(signal, "the Kubernetes API is silent", async () => {
    const kube = await access.kube(cluster.name, cluster.endpoint);
    return kube.nodes();
  });
  return "value" in answer
    ? new Map(
        answer.value.map((node) => [node.metadata.name, { isReady: isNodeReady(node), ...kubeletOf(node) }]),
      )
    : undefined;
}

const kubeletOf = ({ status }: KubeNode): Pick<NodeLook, "kubernetes"> => {
  const version = status?.nodeInfo?.kubeletVersion;
  return version === undefined ? {} : { kubernetes: version.replace(/^v/, "") };
};

async function orWhy<T>(
  signal: AbortSignal,
  late: string,
  ask: () => Promise<T>,
): Promise<{ value: T } | { why: string }> {
  try {
    return { value: await limitTime(patienceMs, late, signal, ask) };
  } catch (thrown) {
    return { why: thrown instanceof SlipwayError ? thrown.why : describeCause(thrown) };
  }
}
