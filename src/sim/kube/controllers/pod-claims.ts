import { digList, digText, type KubeObject } from "../store/object.ts";
import type { Cluster } from "./controller.ts";

/** The claims a pod mounts that exist. */
export const claimsOf = (cluster: Cluster, pod: KubeObject): KubeObject[] =>
  claimNames(pod).flatMap(([, name]) => findClaim(cluster, pod, name) ?? []);

/** Volume and claim names, also of claims made for the pod itself. */
export const claimNames = (pod: KubeObject): [volume: string, claim: string][] =>
  digList(pod, "spec", "volumes").flatMap((volume): [string, string][] => {
    const name = digText(volume, "name");
    const claim = digText(volume, "persistentVolumeClaim", "claimName");
    return claim === "" ? [] : [[name, claim]];
  });

export const findClaim = ({ store }: Cluster, pod: KubeObject, name: string): KubeObject | undefined =>
  store.find({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    namespace: pod.metadata.namespace ?? "",
    name,
  });

/** Why a pod's claims keep it from being scheduled. Claims that wait for their first consumer do not. */
export function unboundReason(cluster: Cluster, pod: KubeObject): string | undefined {
  for (const [, name] of claimNames(pod)) {
    const claim = findClaim(cluster, pod, name);
    if (!claim) return `persistentvolumeclaim "${name}" not found`;
    if (digText(claim, "status", "phase") === "Bound" || isDelayed(cluster, claim)) continue;
    return "pod has unbound immediate PersistentVolumeClaims. preemption: Preemption is not helpful for scheduling.";
  }
  return undefined;
}

export const classOf = ({ store }: Cluster, claim: KubeObject): KubeObject | undefined => {
  const name = digText(claim, "spec", "storageClassName");
  return name === ""
    ? undefined
    : store.find({ apiVersion: "storage.k8s.io/v1", kind: "StorageClass", name });
};

export const isDelayed = (cluster: Cluster, claim: KubeObject): boolean =>
  digText(classOf(cluster, claim), "volumeBindingMode") === "WaitForFirstConsumer";
