import {
  closeProbeNamespace,
  openProbeNamespace,
  probeImage,
  whyNotWritten,
  type ClaimAccess,
  type KubeClient,
} from "../../clients/kube/index.ts";
import type { Limits } from "../../lib/index.ts";
import type { Seen } from "../../plan/index.ts";
import { notYet } from "./prove-nodes.ts";

/** Some seconds are usual; an image has to be fetched and a volume made. */
const usualTryMs = 120_000;

export interface ClaimProof {
  /** Of the add-on. */
  id: string;
  storageClass: string;
  access: ClaimAccess;
  /** How long one try takes at most. */
  tryMs?: number;
}

const labels = { "app.kubernetes.io/managed-by": "slipway", "slipway.dev/proof": "claim" };

/** A pod writes to a volume of the class. All of it lives in a namespace of its own, which goes at the end, however that comes. */
export async function proveClaim(
  kube: KubeClient,
  { id, storageClass, access, tryMs = usualTryMs }: ClaimProof,
  limits: Limits,
): Promise<Seen<string>> {
  const namespace = `slipway-proof-${id}`;
  const earlier = await kube.get({ apiVersion: "v1", kind: "Namespace", name: namespace }, limits.signal);
  if (earlier?.metadata.deletionTimestamp !== undefined)
    return notYet(`what an earlier try left in namespace ${namespace} is still being removed`);
  try {
    await openProbeNamespace(kube, { name: namespace, labels }, limits);
    const probe = { namespace, name: "proof", labels, storageClass, access, image: probeImage };
    const why = await whyNotWritten(kube, probe, { tryMs, ...limits });
    return why === undefined
      ? { done: true, value: `a pod wrote to a volume of class ${storageClass}` }
      : notYet(why);
  } finally {
    await closeProbeNamespace(kube, limits.clock, namespace);
  }
}
