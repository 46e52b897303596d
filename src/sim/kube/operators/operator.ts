import type { Cluster, Controller } from "../controllers/controller.ts";
import { hasCondition } from "../controllers/nodes/node-fit.ts";
import type { KubeObject } from "../store/object.ts";
import type { KubeStore, Manifest } from "../store/store.ts";

/** A program that add-ons bring along: it works on the cluster for as long as a pod of it is ready. */
export interface Operator {
  namespace: string;
  /** The workload its pods belong to: their names begin with it. */
  workload: string;
  /** Kinds it watches besides. */
  watches: string[];
  /** Does all that is due. */
  work(cluster: Cluster): void;
}

export const operating = ({ namespace, workload, watches, work }: Operator): Controller => {
  const isOwn = ({ kind, metadata }: KubeObject): boolean =>
    kind === "Pod" && metadata.namespace === namespace && (metadata.name ?? "").startsWith(`${workload}-`);
  return {
    concerns: ({ object, kind }) => (isOwn(object) || watches.includes(kind.kind) ? [workload] : []),
    run(_key, cluster) {
      const pods = cluster.index.inNamespace("v1", "Pod", namespace);
      if (pods.some((pod) => isOwn(pod) && hasCondition(pod, "Ready"))) work(cluster);
      return undefined;
    },
  };
};

/** Makes what is not there yet. */
export function ensure(store: KubeStore, manifests: Manifest[], fieldManager: string): void {
  for (const manifest of manifests) {
    const { apiVersion, kind, metadata } = manifest;
    const { name = "", namespace } = metadata ?? {};
    if (!store.find({ apiVersion, kind, name, namespace })) store.create(manifest, { fieldManager });
  }
}

/** Whether a kind is served yet: one that comes with a definition may not be. */
export const isServed = (store: KubeStore, apiVersion: string, kind: string): boolean =>
  store.kinds().some((known) => `${known.group}/${known.version}` === apiVersion && known.kind === kind);

/** A definition that takes every field. */
export const definitionOf = (
  group: string,
  version: string,
  kind: string,
  plural: string,
  scope: "Namespaced" | "Cluster",
): Manifest => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope,
    names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
});

/** A workload of one container. */
export const workloadOf = (
  kind: "Deployment" | "DaemonSet",
  place: { name: string; namespace: string },
  image: string,
  replicas = 1,
): Manifest => {
  const labels = { app: place.name };
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { ...place, labels },
    spec: {
      replicas: kind === "Deployment" ? replicas : undefined,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: place.name, image }] } },
    },
  };
};
