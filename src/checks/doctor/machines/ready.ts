import { conditionOf, isNodeReady, type KubeNode } from "../../../clients/kube/index.ts";
import { errorData } from "../../../errors/index.ts";
import { nodeNotReady, nodeNotRegistered } from "../errors.ts";
import { machinesRun } from "./machines.ts";
import { kubernetesOf } from "../inspection.ts";
import { networkReady } from "../network/network.ts";
import { nodesAnswer } from "./nodes.ts";
import { no, yes, type Question } from "../question.ts";
import { listed, short } from "../text.ts";

/** Every node of the file is in Kubernetes and its kubelet says Ready. */
export const nodesReady: Question = {
  id: "nodes-ready",
  title: "Are all nodes Ready?",
  async ask(inspection) {
    const { cluster } = inspection;
    const known = await (await inspection.kube()).list<KubeNode>("v1", "Node");
    const wanted = cluster.nodes.map(({ name }) => name);
    const missing = wanted.filter((name) => !known.some(({ metadata }) => metadata.name === name));
    const unready = known.filter((node) => !isNodeReady(node));
    // A kubelet that stopped telling is Unknown: look at its machine. One that says why is asked no further.
    const unreachable = unready.filter((node) => conditionOf(node, "Ready")?.status === "Unknown");
    const speaking = unready.filter((node) => !unreachable.includes(node));
    if (missing.length + unready.length === 0) return yes(`${wanted.length} of ${wanted.length}`);
    const lost = [...unreachable.map(({ metadata }) => metadata.name), ...missing].filter((name) =>
      wanted.includes(name),
    );
    const seen = [
      ...(missing.length > 0 ? [`${listed(missing)} never registered`] : []),
      ...unready.map((node) => `${node.metadata.name}: ${short(reasonOf(node), 70)}`),
    ].slice(0, 2);
    const [first] = speaking;
    const { kubeletLog, restart } = kubernetesOf(inspection).advice;
    return no(seen.join("; "), {
      further: [
        ...(lost.length > 0 ? [machinesRun(lost), nodesAnswer(lost)] : []),
        ...(speaking.some((node) => /cni|network plugin|NetworkReady/i.test(reasonOf(node)))
          ? [networkReady]
          : []),
      ],
      cause: errorData(
        first
          ? nodeNotReady({
              ...{ cluster: cluster.name, node: first.metadata.name, why: short(reasonOf(first)) },
              ...{
                logCommand: kubeletLog(first.metadata.name),
                restartCommand: restart(first.metadata.name),
              },
            })
          : nodeNotRegistered({ cluster: cluster.name, nodes: lost, logCommand: kubeletLog(lost[0] ?? "") }),
      ),
    });
  },
};

/** What else the node complains of says more than "not ready". */
function reasonOf(node: KubeNode): string {
  const ready = conditionOf(node, "Ready");
  const pressure = (node.status?.conditions ?? []).find(
    ({ type, status }) => type.endsWith("Pressure") && status === "True",
  );
  return pressure?.message ?? ready?.message ?? ready?.reason ?? "it does not say why";
}
