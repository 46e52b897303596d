import type { Clock, Limits } from "../../../lib/index.ts";
import type { KubeClient } from "../client.ts";
import { explainPods, troubleText } from "../explain-pods.ts";
import { closeProbeNamespace, openProbeNamespace, probeImage } from "./probe-namespace.ts";
import { isNodeReady } from "../kinds/node.ts";
import { scriptPod } from "./probe-pods.ts";
import type { KubePod } from "../kinds/workloads.ts";

export interface PodQuestion {
  /** Of its own; it goes when the answer is there, however it came. */
  namespace: string;
  labels: Record<string, string>;
  /** Of a shell script. What it prints is the answer. */
  lines: string[];
  /** How long it may take, its image included. */
  tryMs: number;
}

export type PodAnswer = { said: string } | { unreachableBecause: string };

const lookMs = 1_000;

/** Prints what an address answers, or why it does not. The way to it counts, not who vouches for it. */
export const fetchLines = (url: string): string[] => [
  `wget -q -T 5 --no-check-certificate -O - ${url} || true`,
];

/** Lets a pod try something where only pods can: their network, their DNS. */
export async function askFromPod(
  kube: KubeClient,
  { namespace, labels, lines, tryMs }: PodQuestion,
  { clock, signal }: Limits,
): Promise<PodAnswer> {
  const earlier = await kube.get({ apiVersion: "v1", kind: "Namespace", name: namespace }, signal);
  if (earlier?.metadata.deletionTimestamp !== undefined)
    return {
      unreachableBecause: `what an earlier try left in namespace ${namespace} is still being removed`,
    };
  const node = (await kube.nodes(signal)).find(isNodeReady)?.metadata.name;
  if (node === undefined) return { unreachableBecause: "no node is Ready" };
  try {
    await openProbeNamespace(kube, { name: namespace, labels }, { clock, signal });
    const pod = { namespace, name: "question", labels, node, image: probeImage, lifeSeconds: 600 };
    await kube.apply(scriptPod(pod, lines), { isForced: true, signal });
    return await answerOf(kube, { namespace, name: pod.name }, clock.now() + tryMs, { clock, signal });
  } finally {
    await closeProbeNamespace(kube, clock, namespace);
  }
}

async function answerOf(
  kube: KubeClient,
  pod: { namespace: string; name: string },
  untilMs: number,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<PodAnswer> {
  for (;;) {
    const found = await kube.get<KubePod>({ apiVersion: "v1", kind: "Pod", ...pod }, signal);
    const phase = found?.status?.phase;
    if (phase === "Succeeded" || phase === "Failed") return { said: await kube.logs(pod, { signal }) };
    if (clock.now() >= untilMs) {
      const troubles = await explainPods(kube, { namespace: pod.namespace }, signal);
      const state = `the pod that asks is ${phase ?? "not there"}`;
      return { unreachableBecause: troubles.length > 0 ? troubleText(troubles) : state };
    }
    await clock.sleep(lookMs, signal);
  }
}
