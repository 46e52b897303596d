import type { KubeClient } from "../../../clients/kube/index.ts";
import { Semaphore } from "../../../lib/index.ts";
import type { ObjectRef } from "../inventory.ts";

const atOnce = 16;

/** Those of the objects that are not there, as people name them. */
export async function missingObjects(
  kube: KubeClient,
  refs: ObjectRef[],
  signal: AbortSignal,
): Promise<string[]> {
  const places = new Semaphore(atOnce);
  const looks = refs.map((ref) =>
    places.use(async () => ((await kube.get(ref, signal)) ? [] : [nameOf(ref)]), signal),
  );
  return (await Promise.all(looks)).flat();
}

/** `Deployment kube-system/cilium-operator`. */
export const nameOf = ({ kind, namespace, name }: ObjectRef): string =>
  `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
