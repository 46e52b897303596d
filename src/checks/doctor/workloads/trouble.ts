import { explainPods, labelQuery, workloadState, type KubePod } from "../../../clients/kube/index.ts";
import { errorData, type ErrorData } from "../../../errors/index.ts";
import { kubernetesOf, orWhy, type Inspection } from "../inspection.ts";
import type { KubeFacts, Workload } from "../kube-facts.ts";
import {
  imageNotPulled,
  podCrashes,
  podForbidden,
  podUnplaced,
  webhookDown,
  workloadNotReady,
  type Place,
} from "./errors.ts";
import { short } from "../text.ts";

export interface Trouble {
  /** In a few words. */
  seen: string;
  cause: ErrorData;
}

/** Why a workload does not do its work: from its pods, their events, and the last words of one that crashed. */
export async function troubleOf(
  inspection: Inspection,
  workload: Workload,
  pods: KubePod[],
): Promise<Trouble> {
  const { signal } = inspection;
  const kube = await inspection.kube();
  const { name, namespace = "default" } = workload.metadata;
  const labels = labelQuery(workload.spec?.selector ?? {}) ?? "";
  const [first, ...more] = await explainPods(
    kube.client,
    { namespace, owner: name, labels: labels === "" ? undefined : labels },
    signal,
  );
  if (!first) {
    const seen = workloadState(workload).seen;
    return { seen, cause: errorData(workloadNotReady({ namespace, workload: name, labels, why: seen })) };
  }
  const place: Place = {
    namespace,
    workload: name,
    labels,
    pod: first.pod,
    node: first.node,
  };
  const { registries } = kubernetesOf(inspection).advice;
  const pod = pods.find(({ metadata }) => metadata.name === first.pod);
  const rest = more.length > 0 ? `; ${more.length} more pods` : "";
  const lastWords = pod && /crashes again/.test(first.why) ? await lastWordsOf(kube, pod, signal) : undefined;
  return {
    seen: `${placeText(place)}: ${inShort(first.why)}${rest}`,
    cause: errorData(judge(place, first.why, pod, lastWords, registries)),
  };
}

function judge(
  place: Place,
  why: string,
  pod: KubePod | undefined,
  lastWords: string | undefined,
  registries: string,
) {
  if (/failed calling webhook/.test(why))
    return webhookDown({ ...place, webhook: webhookIn(why), why: short(why, 300) });
  if (/violates PodSecurity/.test(why)) return podForbidden({ ...place, why: short(why, 300) });
  if (/image cannot be pulled|no valid name|not on the node/.test(why))
    return imageNotPulled({
      ...place,
      image: imageIn(why) ?? firstImage(pod),
      why: short(registrySaid(why), 300),
      registries,
    });
  if (/crashes again|ended with exit code/.test(why))
    return podCrashes({ ...place, why: short(why, 160), lastWords });
  if (/no node can run it|FailedScheduling/.test(why)) return podUnplaced({ ...place, why: short(why, 300) });
  return workloadNotReady({
    namespace: place.namespace,
    workload: place.workload,
    labels: place.labels,
    why: short(`${placeText(place)}: ${why}`, 200),
  });
}

const placeText = ({ pod, node }: Place): string => (node === undefined ? pod : `${pod} on ${node}`);

/** The kind of trouble alone: what exactly it is stands in the cause. */
const kinds: [RegExp, string][] = [
  [/failed calling webhook/, "a webhook does not answer"],
  [/violates PodSecurity/, "Pod Security refuses it"],
  [/image cannot be pulled|no valid name|not on the node/, "its image cannot be pulled"],
  [/crashes again/, "it crashes again and again"],
  [/no node can run it|FailedScheduling/, "no node can run it"],
];
const inShort = (why: string): string => kinds.find(([known]) => known.test(why))?.[1] ?? short(why, 70);

const webhookIn = (why: string): string => /failed calling webhook "([^"]+)"/.exec(why)?.[1] ?? "a webhook";
/** The runtime wraps what the registry said, each time in other words. */
const registrySaid = (why: string): string => /desc = (.*)$/s.exec(why)?.[1] ?? why;
const imageIn = (why: string): string | undefined => /\(([^()\s]+[:/@][^()\s]+)\)/.exec(why)?.[1];
const firstImage = (pod: KubePod | undefined): string => pod?.spec?.containers?.[0]?.image ?? "its image";

/** The line before a container died says more than its exit code. */
async function lastWordsOf(kube: KubeFacts, pod: KubePod, signal: AbortSignal): Promise<string | undefined> {
  const container = (pod.status?.containerStatuses ?? []).find(({ ready }) => ready !== true)?.name;
  const name = { namespace: pod.metadata.namespace ?? "default", name: pod.metadata.name };
  const options = { tailLines: 5, signal, container };
  for (const isPrevious of [true, false]) {
    const log = await orWhy(kube.client.logs(name, { ...options, isPrevious }));
    const line = "value" in log ? log.value.trim().split("\n").at(-1)?.trim() : undefined;
    if (line) return short(line, 160);
  }
  return undefined;
}
