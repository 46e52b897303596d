import { conditionOf, type KubeClient } from "../../clients/kube/index.ts";
import type { ObjectGate } from "../../spec/index.ts";

/** Which of these conditions do not hold, in words. */
export async function gateTrouble(kube: KubeClient, gates: readonly ObjectGate[]): Promise<string[]> {
  const troubles = await Promise.all(gates.map((gate) => troubleOf(kube, gate)));
  return troubles.flatMap((trouble) => trouble ?? []);
}

async function troubleOf(kube: KubeClient, gate: ObjectGate): Promise<string | undefined> {
  const { condition, ...ref } = gate;
  const what = `${ref.kind} ${ref.namespace === undefined ? "" : `${ref.namespace}/`}${ref.name}`;
  const object = await kube.get(ref);
  if (!object) return `${what} is not there`;
  const found = conditionOf(object, condition);
  if (found?.status === "True") return undefined;
  const why = found?.message ?? found?.reason ?? "";
  return `${what} is not ${condition}${why === "" ? "" : `: ${why}`}`;
}
