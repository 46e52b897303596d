import { isNodeReady, type KubeNode } from "../../../clients/kube/index.ts";
import type { Limits } from "../../../lib/index.ts";
import type { QuickStatus } from "../../../plan/index.ts";
import type { Cluster } from "../../../spec/index.ts";
import { answerWithin, askNodes } from "../../kubernetes/index.ts";
import type { TalosAccess } from "../talos-access.ts";

/** Each source has this long; what did not answer by then is told as silent. */
const patienceMs = 3_000;

/** One quick look at every node, through Talos and through Kubernetes. Partial truth beats none: who does not answer is told as such. */
export async function askNodeStatuses(
  access: TalosAccess,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<Map<string, QuickStatus>> {
  if (!(await access.findBundle(cluster.name))) return new Map();
  const limits = { clock: access.world.clock, signal };
  const ready = readyNodes(access, cluster, limits);
  return askNodes(cluster.nodes, async (node): Promise<QuickStatus> => {
    const answer = await answerWithin(patienceMs, limits, () =>
      access.using(cluster.name, node.address, async (client) => (await client.version()).version),
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
  limits: Limits,
): Promise<Map<string, Pick<QuickStatus, "isReady" | "isCordoned" | "kubernetes">> | undefined> {
  const answer = await answerWithin(patienceMs, limits, async () => {
    const kube = await access.kube(cluster.name, cluster.endpoint);
    return kube.nodes();
  });
  return "value" in answer
    ? new Map(
        answer.value.map((node) => [
          node.metadata.name,
          { isReady: isNodeReady(node), isCordoned: node.spec?.unschedulable, ...kubeletOf(node) },
        ]),
      )
    : undefined;
}

const kubeletOf = ({ status }: KubeNode): Pick<QuickStatus, "kubernetes"> => {
  const version = status?.nodeInfo?.kubeletVersion;
  return version === undefined ? {} : { kubernetes: version.replace(/^v/, "") };
};
