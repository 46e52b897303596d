import { conditionOf, type KubeClient, type KubeObject, type KubeRef } from "../../clients/kube/index.ts";
import type { Seen } from "../../plan/index.ts";
import { notYet } from "./prove-nodes.ts";

/** All objects say Ready about what they were last told; else what the first of them says instead. */
export async function proveCondition(
  kube: KubeClient,
  refs: KubeRef[],
  signal: AbortSignal,
): Promise<Seen<string>> {
  for (const ref of refs) {
    const object = await kube.get(ref, signal);
    if (!object) return notYet(`${ref.kind} ${ref.name} is not there yet`);
    const ready = conditionOf(object, "Ready");
    if (ready?.status === "True" && isUpToDate(object)) continue;
    return notYet(
      `${ref.kind} ${ref.name}: ${ready?.message ?? ready?.reason ?? "it does not say Ready yet"}`,
    );
  }
  return { done: true, value: refs.map(({ kind }) => `${kind} is Ready`).join(", ") };
}

function isUpToDate(object: KubeObject): boolean {
  const { observedGeneration } = (object["status"] ?? {}) as { observedGeneration?: number };
  const { generation } = object.metadata as { generation?: number };
  return observedGeneration === undefined || generation === undefined || observedGeneration >= generation;
}
