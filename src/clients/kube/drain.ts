import { SlipwayError } from "../../errors/index.ts";
import type { Clock } from "../../lib/index.ts";
import type { KubeClient } from "./client.ts";
import { drainVerdict, type DrainAllowances } from "./drain-rules.ts";
import { drainBlocked, drainRefused } from "./errors.ts";
import type { KubeNode } from "./kinds/node.ts";
import type { KubePod } from "./kinds/workloads.ts";

export interface DrainOptions extends DrainAllowances {
  clock: Clock;
  deadlineMs: number;
  /** Told after each round what is still there and why. */
  onSeen?: (seen: string) => void;
  signal?: AbortSignal | undefined;
}

/** A pod and what is to be said of it. */
export interface PodWord {
  pod: string;
  why: string;
}

export interface DrainPlan {
  evict: KubePod[];
  /** Stays on purpose: DaemonSets, static pods. */
  leave: PodWord[];
  /** Would lose something that was not allowed. */
  refuse: PodWord[];
  /** Its disruption budget does not let it go now; that may change by itself. */
  held: PodWord[];
}

const betweenMs = 1_000;

/** What a drain would do, asked of the server as a rehearsal: nothing is evicted. */
export async function planDrain(
  kube: KubeClient,
  node: string,
  allowed: DrainAllowances & { signal?: AbortSignal | undefined } = {},
): Promise<DrainPlan> {
  const plan = await sortPods(kube, node, allowed);
  const answers = plan.evict.map(async (pod) => {
    const why = await tryEvict(kube, pod, true, allowed.signal);
    return why === undefined ? [] : [{ pod: nameOf(pod), why }];
  });
  return { ...plan, held: (await Promise.all(answers)).flat() };
}

/**
 * Takes every pod off a node that can go, through eviction, so that disruption budgets are kept. The node is
 * cordoned first. Nothing is evicted when a pod would lose what it may not lose. Returns the pods that are gone.
 */
export async function drainNode(kube: KubeClient, node: string, options: DrainOptions): Promise<string[]> {
  const { clock, deadlineMs, onSeen, signal } = options;
  const { evict, refuse } = await sortPods(kube, node, options);
  if (refuse.length > 0) throw drainRefused(node, refuse);
  await setCordon(kube, node, true, signal);
  const endMs = clock.now() + deadlineMs;
  const accepted = new Set<string | undefined>();
  let left = evict;
  while (left.length > 0) {
    const words = await Promise.all(
      left.map(async (pod): Promise<PodWord> => {
        const isAsked = accepted.has(pod.metadata.uid) || pod.metadata.deletionTimestamp !== undefined;
        const held = isAsked ? undefined : await tryEvict(kube, pod, false, signal);
        if (held === undefined) accepted.add(pod.metadata.uid);
        return { pod: nameOf(pod), why: held ?? "it has been told to stop and is still there" };
      }),
    );
    left = await stillThere(kube, left, signal);
    if (left.length === 0) break;
    const names = new Set(left.map(nameOf));
    const waiting = words.filter(({ pod }) => names.has(pod));
    onSeen?.(waiting.map(({ pod, why }) => `${pod}: ${why}`).join("; "));
    if (clock.now() >= endMs) throw drainBlocked(node, deadlineMs, waiting);
    await clock.sleep(Math.min(betweenMs, Math.max(0, endMs - clock.now())), signal);
  }
  return evict.map(nameOf);
}

async function sortPods(
  kube: KubeClient,
  node: string,
  allowed: DrainAllowances & { signal?: AbortSignal | undefined },
): Promise<DrainPlan> {
  const onNode = { apiVersion: "v1", kind: "Pod", fields: `spec.nodeName=${node}` };
  const [pods, sets] = await Promise.all([
    kube.list<KubePod>(onNode, allowed.signal),
    kube.list({ apiVersion: "apps/v1", kind: "DaemonSet" }, allowed.signal),
  ]);
  const daemonSets = new Set(sets.items.map(nameOf));
  const plan: DrainPlan = { evict: [], leave: [], refuse: [], held: [] };
  for (const pod of pods.items) {
    const verdict = drainVerdict(pod, daemonSets, allowed);
    if (verdict.do === "leave" || verdict.do === "refuse")
      plan[verdict.do].push({ pod: nameOf(pod), why: verdict.why });
    else plan.evict.push(pod);
  }
  return plan;
}

/** Undefined when the pod goes or is gone; else why its budget does not let it. */
async function tryEvict(
  kube: KubeClient,
  pod: KubePod,
  isDryRun: boolean,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { namespace = "", name, uid } = pod.metadata;
  try {
    await kube.evict({ namespace, name, uid }, { isDryRun, signal });
    return undefined;
  } catch (error) {
    if (!(error instanceof SlipwayError)) throw error;
    // Gone, or another pod of that name: either way this one is no longer here.
    if (error.code === "KUBE_NOT_FOUND" || error.code === "KUBE_CONFLICT") return undefined;
    // In a namespace that goes, everything goes by itself.
    if (error.code === "KUBE_NAMESPACE_TERMINATING") return undefined;
    if (error.code === "KUBE_EVICTION_HELD" || error.transient) return error.why;
    if (isDryRun && error.code === "KUBE_BUDGETS_OVERLAP") return error.why;
    throw error;
  }
}

async function stillThere(kube: KubeClient, pods: KubePod[], signal?: AbortSignal): Promise<KubePod[]> {
  const now = await Promise.all(
    pods.map(({ metadata }) =>
      kube.get<KubePod>(
        { apiVersion: "v1", kind: "Pod", namespace: metadata.namespace ?? "", name: metadata.name },
        signal,
      ),
    ),
  );
  return pods.flatMap((pod, at) => {
    const same = now[at];
    return same && same.metadata.uid === pod.metadata.uid ? [same] : [];
  });
}

const nameOf = ({ metadata }: { metadata: { namespace?: string; name: string } }): string =>
  `${metadata.namespace ?? ""}/${metadata.name}`;

/** Keeps new pods from the node, or lets them come again. Pods that are there stay. */
export const setCordon = (
  kube: KubeClient,
  name: string,
  isCordoned: boolean,
  signal?: AbortSignal,
): Promise<KubeNode> =>
  kube.patch<KubeNode>(
    { apiVersion: "v1", kind: "Node", name },
    { spec: { unschedulable: isCordoned ? true : null } },
    { signal },
  );
