import type { Wire } from "./call.ts";
import { discoverKinds, discoverVersion, type KindPlace } from "./discovery.ts";
import { kindUnknown } from "../errors.ts";

export interface ResourcePlace {
  apiVersion: string;
  kind: string;
  namespace?: string | undefined;
  name?: string;
}

/**
 * Turns kinds into paths. The usual ones are known by heart; the rest is asked for once. A kind that is still
 * unknown is asked for again each time, at its own group and version: its definition may just have come.
 */
export function resourcePaths(wire: Wire) {
  const known = new Map<string, KindPlace>(wellKnownKinds.map((served) => [keyOf(served), served]));
  let discovered: Promise<void> | undefined;
  const learn = (kinds: KindPlace[]) => {
    for (const served of kinds) known.set(keyOf(served), served);
  };

  async function lookUp(place: ResourcePlace, what: string, signal?: AbortSignal): Promise<KindPlace> {
    const key = keyOf(place);
    if (!known.has(key)) {
      discovered ??= discoverKinds(wire, what, signal).then(learn);
      // A failed question is asked again by the next caller.
      await discovered.catch((error: unknown) => {
        discovered = undefined;
        throw error;
      });
    }
    if (!known.has(key)) learn(await discoverVersion(wire, place.apiVersion, what, signal));
    const served = known.get(key);
    if (!served) throw kindUnknown({ what, server: wire.server }, place.apiVersion, place.kind);
    return served;
  }

  return async function pathOf(place: ResourcePlace, what: string, signal?: AbortSignal): Promise<string> {
    const { apiVersion, namespace, name } = place;
    const served = await lookUp(place, what, signal);
    const inNamespace =
      served.isNamespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
    const item = name === undefined ? "" : `/${encodeURIComponent(name)}`;
    return `${rootOf(apiVersion)}${inNamespace}/${served.resource}${item}`;
  };
}

const keyOf = ({ apiVersion, kind }: { apiVersion: string; kind: string }): string => `${apiVersion} ${kind}`;

const rootOf = (apiVersion: string): string =>
  apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

/**
 * Kinds every cluster serves under these names. Knowing them saves a question before the first call, which counts
 * while an API server has only just come up. `/` before a resource: it belongs to no namespace.
 */
const table: Record<string, string> = {
  "v1 Node": "/nodes",
  "v1 Namespace": "/namespaces",
  "v1 Pod": "pods",
  "v1 Secret": "secrets",
  "v1 ConfigMap": "configmaps",
  "v1 Service": "services",
  "v1 ServiceAccount": "serviceaccounts",
  "v1 Event": "events",
  "v1 PersistentVolumeClaim": "persistentvolumeclaims",
  "v1 PersistentVolume": "/persistentvolumes",
  "apps/v1 Deployment": "deployments",
  "apps/v1 DaemonSet": "daemonsets",
  "apps/v1 StatefulSet": "statefulsets",
  "apps/v1 ReplicaSet": "replicasets",
  "batch/v1 Job": "jobs",
  "coordination.k8s.io/v1 Lease": "leases",
  "policy/v1 PodDisruptionBudget": "poddisruptionbudgets",
  "storage.k8s.io/v1 StorageClass": "/storageclasses",
  "certificates.k8s.io/v1 CertificateSigningRequest": "/certificatesigningrequests",
  "apiextensions.k8s.io/v1 CustomResourceDefinition": "/customresourcedefinitions",
  "apiregistration.k8s.io/v1 APIService": "/apiservices",
  "authorization.k8s.io/v1 SelfSubjectAccessReview": "/selfsubjectaccessreviews",
  "authentication.k8s.io/v1 SelfSubjectReview": "/selfsubjectreviews",
};

const wellKnownKinds: KindPlace[] = Object.entries(table).map(([name, resource]) => {
  const [apiVersion = "", kind = ""] = name.split(" ");
  return { apiVersion, kind, resource: resource.replace("/", ""), isNamespaced: !resource.startsWith("/") };
});
