import { createHash } from "node:crypto";
import { digList, digText, type KubeObject, type ObjectMeta } from "../object.ts";
import type { LabelSelector } from "../selectors.ts";
import type { KubeStore, Manifest } from "../store.ts";

/** A workload as far as its controller reads it. */
export interface Workload extends KubeObject {
  spec: {
    replicas?: number;
    completions?: number;
    selector?: LabelSelector;
    template: PodTemplate;
  };
}

export interface PodTemplate {
  metadata?: ObjectMeta;
  spec: Record<string, unknown>;
}

/** What `owner` controls, by its owner references. */
export function ownedBy(store: KubeStore, owner: KubeObject, apiVersion: string, kind: string): KubeObject[] {
  return store
    .list({ apiVersion, kind, namespace: owner.metadata.namespace ?? "" })
    .filter(
      (object) =>
        object.metadata.deletionTimestamp === undefined &&
        object.metadata.ownerReferences?.some((reference) => reference.uid === owner.metadata.uid),
    );
}

export const ownerReferences = (owner: KubeObject): ObjectMeta["ownerReferences"] => [
  {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name ?? "",
    uid: owner.metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  },
];

/** A pod of `owner`, from its template. */
export const podOf = (
  owner: Workload,
  metadata: Pick<ObjectMeta, "name" | "generateName" | "labels">,
  spec: Record<string, unknown> = {},
): Manifest => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    ...metadata,
    namespace: owner.metadata.namespace ?? "default",
    labels: { ...owner.spec.template.metadata?.labels, ...metadata.labels },
    ...(owner.spec.template.metadata?.annotations && {
      annotations: owner.spec.template.metadata.annotations,
    }),
    ownerReferences: ownerReferences(owner) ?? [],
  },
  spec: { serviceAccountName: "default", ...owner.spec.template.spec, ...spec },
});

/** Ten letters and digits that change with the template. */
export const templateHash = (template: PodTemplate): string =>
  createHash("sha256").update(JSON.stringify(template)).digest("hex").slice(0, 10);

export const isPodReady = (pod: KubeObject): boolean =>
  digList(pod, "status", "conditions").some(
    (condition) => digText(condition, "type") === "Ready" && digText(condition, "status") === "True",
  );
