import { podTrouble, workloadState, type KubeJob, type KubePod } from "../../../clients/kube/index.ts";
import { podsOf, type Workload } from "../kube-facts.ts";
import { no, yes, type Question } from "../question.ts";
import { troubleOf } from "./trouble.ts";

/** Namespaces whose workloads others need, in the order in which they are told. */
const important = ["kube-system"];

/** Every workload runs as many pods as it was asked to; of those that do not, the one that others need most is told. */
export const workloadsRun: Question = {
  id: "workloads-run",
  title: "Do all workloads run?",
  async ask(inspection) {
    const kube = await inspection.kube();
    const [workloads, pods, jobs] = await Promise.all([
      kube.workloads(),
      kube.pods(),
      kube.list<KubeJob>("batch/v1", "Job"),
    ]);
    const all: (Workload | KubeJob)[] = [...workloads, ...jobs];
    const ill = all
      .filter((workload) => isIll(workload, pods))
      .toSorted((left, right) => rank(left) - rank(right));
    const [first, ...more] = ill;
    if (!first) return yes(`${all.length} of ${all.length}`);
    const trouble = await troubleOf(inspection, first, podsOf(first, pods));
    const rest = more.length > 0 ? `; and ${more.length} more` : "";
    return no(`${first.metadata.namespace}/${first.metadata.name}: ${trouble.seen}${rest}`, {
      cause: trouble.cause,
    });
  },
};

/** A job at work is no trouble; one whose pods cannot come up is. */
const isIll = (workload: Workload | KubeJob, pods: KubePod[]): boolean => {
  const { isReady, isFailed } = workloadState(workload);
  if (workload.kind !== "Job") return !isReady;
  return isFailed || (!isReady && podsOf(workload, pods).some((pod) => podTrouble(pod) !== undefined));
};

const rank = ({ metadata }: Workload | KubeJob): number => {
  const at = important.indexOf(metadata.namespace ?? "");
  return at === -1 ? important.length : at;
};
