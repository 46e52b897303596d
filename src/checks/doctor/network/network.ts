import { workloadState, type KubePod } from "../../../clients/kube/index.ts";
import { errorData } from "../../../errors/index.ts";
import { podsOf, type Workload } from "../kube-facts.ts";
import { networkMissing, networkNotReady, twoNetworks } from "./errors.ts";
import { no, yes, type Question } from "../question.ts";
import { troubleOf } from "../workloads/trouble.ts";
import { listed } from "../text.ts";

/** Whether the pods that connect pods run on every node. Nothing else can before they do. */
export const networkReady: Question = {
  id: "network-ready",
  title: "Is the pod network up?",
  async ask(inspection) {
    const kube = await inspection.kube();
    const [workloads, pods] = await Promise.all([kube.workloads(), kube.pods()]);
    const agents = workloads.filter(isNetwork);
    const cluster = inspection.cluster.name;
    if (agents.length === 0 && inspection.kubernetes?.hasNetworkInside) return yes("inside the distribution");
    if (agents.length === 0)
      return no("no pod network is installed", { cause: errorData(networkMissing({ cluster })) });
    if (agents.length > 1)
      return no(`${listed(agents.map(nameOf))} are installed side by side`, {
        cause: errorData(twoNetworks({ cluster, names: agents.map(nameOf) })),
      });
    const [agent] = agents;
    if (!agent || workloadState(agent).isReady) return yes(`${agent ? nameOf(agent) : ""} on every node`);
    const trouble = await troubleOf(inspection, agent, podsOf(agent, pods));
    const seen = `${nameOf(agent)}: ${trouble.seen}`;
    // What its agent says is about the network, whatever else it would be for another workload.
    const { code, why } = trouble.cause;
    const isPlain = code === "DOCTOR_WORKLOAD_NOT_READY";
    return no(seen, {
      cause: isPlain ? errorData(networkNotReady({ cluster, agent: nameOf(agent), why })) : trouble.cause,
    });
  },
};

const nameOf = ({ metadata }: Workload): string => metadata.name;

/** Agents write their configuration where the kubelet looks for it. */
const isNetwork = (workload: Workload): boolean =>
  workload.kind === "DaemonSet" &&
  (workload.spec?.template?.spec?.volumes ?? []).some(({ hostPath }) =>
    /^\/(etc|opt)\/cni\b/.test(hostPath?.path ?? ""),
  );

/** Pods that a network gives an address to. */
export const isOnPodNetwork = (pod: KubePod): boolean =>
  pod.spec?.hostNetwork !== true && pod.status?.podIP !== undefined && pod.status.phase === "Running";
