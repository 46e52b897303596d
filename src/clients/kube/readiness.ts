import type { KubeClient } from "./client.ts";
import { workloadFailed } from "./errors.ts";
import { explainPods, troubleText } from "./explain-pods.ts";
import { named, type KubeObject, type KubeRef, type Look } from "./kinds/object.ts";
import { workloadState } from "./kinds/workload-state.ts";

/** One look at whether an object does its work, with the pods to blame when it does not. For waits. */
export async function checkReady<T extends KubeObject = KubeObject>(
  kube: KubeClient,
  ref: KubeRef,
  signal?: AbortSignal,
): Promise<Look<T>> {
  const object = await kube.get<T>(ref, signal);
  if (!object) return { done: false, seen: `${named(ref)} is not there` };
  const { isReady, isFailed, seen } = workloadState(object);
  if (isReady) return { done: true, value: object };
  const cause = await blame(kube, object, signal);
  if (isFailed) throw workloadFailed(ref, [seen, cause].filter(Boolean).join("; "));
  return { done: false, seen: `${named(ref)}: ${seen}`, cause: cause || undefined };
}

/** One look at whether an object is gone; another one of the same name made since does not count. For waits. */
export async function checkGone(
  kube: KubeClient,
  ref: KubeRef & { uid?: string | undefined },
  signal?: AbortSignal,
): Promise<Look<undefined>> {
  const object = await kube.get(ref, signal);
  if (!object || (ref.uid !== undefined && object.metadata.uid !== ref.uid))
    return { done: true, value: undefined };
  return { done: false, seen: `${named(ref)} ${stayOf(object)}` };
}

/** Why something deleted is still there: its finalizers, and for a namespace what it says of its contents. */
export function stayOf(object: KubeObject): string {
  if (object.metadata.deletionTimestamp === undefined) return "is not being deleted";
  const { conditions = [], phase } = (object["status"] ?? {}) as {
    conditions?: { type: string; status: string; message?: string }[];
    phase?: string;
  };
  const content = conditions.filter(({ type, status }) => status === "True" && type.startsWith("Namespace"));
  if (phase === "Terminating" && content.length > 0)
    return `is being emptied: ${content.map(({ message }) => message ?? "").join("; ")}`;
  const finalizers = object.metadata.finalizers ?? [];
  return finalizers.length > 0 ? `waits for its finalizers: ${finalizers.join(", ")}` : "is being deleted";
}

async function blame(kube: KubeClient, object: KubeObject, signal?: AbortSignal): Promise<string> {
  const { namespace, name } = object.metadata;
  const { selector } = (object["spec"] ?? {}) as { selector?: { matchLabels?: Record<string, string> } };
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  if (namespace === undefined || labels.length === 0) return "";
  return troubleText(await explainPods(kube, { namespace, labels: labels.join(","), owner: name }, signal));
}
