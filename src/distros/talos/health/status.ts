import { isNodeReady, type KubeNode } from "../../../clients/kube/index.ts";
import { describeCause, SlipwayError } from "../../../errors/index.ts";
import { limitTime, type Limits } from "../../../lib/index.ts";
import type { QuickStatus } from "../../../plan/index.ts";
import type { Cluster } from "../../../spec/index.ts";
import { askNodes } from "../../kubernetes/index.ts";
import type { TalosAccess } from "../talos-access.ts";

/** Each source has this long; what did not answer by then is told as silent. */
const patienceMs = 3_000;

/** One quick look at every node, through Talos and through Kubernetes. Never fails: partial truth beats none. */
export async function askNodeStatuses(
  access: TalosAccess,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<Map<string, QuickStatus>> {
  if (!(await access.findBundle(cluster.name))) return new Map();
  const ready = readyNodes(access, cluster, signal);
  return askNodes(cluster.nodes, async (node): Promise<QuickStatus> => {
    const answer = await orWhy(
      { clock: access.world.clock, signal },
      `no answer within ${patienceMs / 1000}s`,
      () => access.using(cluster.name, node.address, async (client) => (await client.version()).version),
    );
    const told = (await ready)?.get(node.name);
    const release = "value" in answer ? `Talos ${answer.value}` : undefined;
    return {
      software: release,
      release,
      unreachableBecause: "why" in answer ? answer.why : undefined,
      ...told,
    };
  });
}

async function readyNodes(
  access: TalosAccess,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<Map<string, Pick<QuickStatus, "isReady" | "kubernetes">> | undefined> {
  const answer = await orWhy(
    { clock: access.world.clock, signal },
    "the Kubernetes API does not answer",
    async () => {
      const kube = await access.kube(cluster.name, cluster.endpoint);
      return kube.nodes();
    },
  );
  return "value" in answer
    ? new Map(
        answer.value.map((node) => [node.metadata.name, { isReady: isNodeReady(node), ...kubeletOf(node) }]),
      )
    : undefined;
}

const kubeletOf = ({ status }: KubeNode): Pick<QuickStatus, "kubernetes"> => {
  const version = status?.nodeInfo?.kubeletVersion;
  return version === undefined ? {} : { kubernetes: version.replace(/^v/, "") };
};

async function orWhy<T>(
  limits: Limits,
  late: string,
  ask: () => Promise<T>,
): Promise<{ value: T } | { why: string }> {
  try {
    return { value: await limitTime(limits.clock, patienceMs, late, limits.signal, ask) };
  } catch (thrown) {
    return { why: thrown instanceof SlipwayError ? thrown.why : describeCause(thrown) };
  }
}
