import type { KubeClient } from "./client.ts";
import type { KubeObject, KubeRef } from "./kinds/object.ts";
import { podState, podTrouble } from "./kinds/pod-state.ts";
import type { KubeEvent, KubePod } from "./kinds/workloads.ts";

/** A pod that does not do its work: which, where, and why. */
export interface PodTrouble {
  pod: string;
  node?: string | undefined;
  why: string;
}

/** Kinds of events that explain rather than report. */
const telling =
  /^Failed|BackOff|Unhealthy|Evicted|NetworkNotReady|FailedCreatePodSandBox|FailedMount|FailedAttach|FailedScheduling|ProvisioningFailed/;

/**
 * Why the pods of a workload are not ready: from their containers, else from the latest warning about them.
 * When there are no pods at all, the workload's own events say why none could be made, such as Pod Security.
 */
export async function explainPods(
  kube: KubeClient,
  of: { namespace: string; labels?: string | undefined; owner?: string },
  signal?: AbortSignal,
): Promise<PodTrouble[]> {
  const { namespace, labels, owner } = of;
  const [pods, events] = await Promise.all([
    kube.list<KubePod>({ apiVersion: "v1", kind: "Pod", namespace, labels }, signal),
    kube.list<KubeEvent>({ apiVersion: "v1", kind: "Event", namespace }, signal),
  ]);
  const unready = pods.items.filter((pod) => !podState(pod).isReady);
  if (pods.items.length === 0 && owner !== undefined) return explainAbsence(owner, events.items);
  return unready.map((pod) => explainPod(pod, events.items));
}

/** The latest warning about one object; undefined where there is none. */
export async function latestWarning(
  kube: KubeClient,
  { kind, name, namespace = "default" }: KubeRef,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { items } = await kube.list<KubeEvent>({ apiVersion: "v1", kind: "Event", namespace }, signal);
  return latestAbout(
    items,
    ({ involvedObject }) => involvedObject?.kind === kind && involvedObject.name === name,
  );
}

/** One pod, with the events of its namespace at hand. */
export function explainPod(pod: KubePod, events: KubeEvent[]): PodTrouble {
  const node = pod.spec?.nodeName;
  const warning = latestAbout(events, ({ involvedObject }) => involvedObject?.uid === pod.metadata.uid);
  return {
    pod: pod.metadata.name,
    node,
    why: podTrouble(pod) ?? warning ?? podState(pod).seen,
  };
}

/** Events of "web" and of what it makes: ReplicaSet "web-7c9f…", Job "web-…". */
function explainAbsence(owner: string, events: KubeEvent[]): PodTrouble[] {
  const why = latestAbout(
    events,
    ({ involvedObject }) =>
      involvedObject?.name === owner || (involvedObject?.name ?? "").startsWith(`${owner}-`),
  );
  return why === undefined ? [] : [{ pod: owner, why: `no pod could be made: ${why}` }];
}

function latestAbout(events: KubeEvent[], isAbout: (event: KubeEvent) => boolean): string | undefined {
  const warnings = events.filter(
    (event) => event.type === "Warning" && telling.test(event.reason ?? "") && isAbout(event),
  );
  const latest = warnings.toSorted((left, right) => timeOf(right) - timeOf(left))[0];
  return latest && `${latest.reason}: ${(latest.message ?? "").trim()}`;
}

const timeOf = (event: KubeEvent): number =>
  Date.parse(
    event.lastTimestamp ?? event.eventTime ?? (event as KubeObject).metadata.creationTimestamp ?? "",
  ) || 0;

/** `web-1 on worker-2: its image cannot be pulled`, at most three of them. */
export function troubleText(troubles: PodTrouble[], most = 3): string {
  const told = troubles
    .slice(0, most)
    .map(({ pod, node, why }) => `${pod}${node === undefined ? "" : ` on ${node}`}: ${why}`);
  const rest = troubles.length - told.length;
  return [...told, ...(rest > 0 ? [`and ${rest} more`] : [])].join("; ");
}
