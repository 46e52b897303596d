import { createHash } from "node:crypto";
import { digList, digText, type KubeObject, type ObjectMeta } from "../../store/object.ts";
import type { LabelSelector } from "../../store/selectors.ts";
import { ApiError } from "../../store/api-error.ts";
import { recordEvent } from "../../store/events.ts";
import type { Manifest } from "../../store/store.ts";
import type { Cluster } from "../controller.ts";

/** A workload as far as its controller reads it. */
export interface Workload extends KubeObject {
  spec: {
    replicas?: number;
    completions?: number;
    parallelism?: number;
    backoffLimit?: number;
    ttlSecondsAfterFinished?: number;
    suspend?: boolean;
    selector?: LabelSelector;
    template: PodTemplate;
    [field: string]: unknown;
  };
}

export interface PodTemplate {
  metadata?: ObjectMeta;
  spec: Record<string, unknown>;
}

/** What `owner` controls and is not on its way out. */
export const ownedBy = ({ index }: Cluster, owner: KubeObject, kind: string): KubeObject[] =>
  index.owned(owner.metadata.uid, kind).filter((object) => object.metadata.deletionTimestamp === undefined);

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
    annotations: owner.spec.template.metadata?.annotations,
    ownerReferences: ownerReferences(owner) ?? [],
  },
  spec: { serviceAccountName: "default", ...owner.spec.template.spec, ...spec },
});

/** How often a controller tries again to make a pod that was refused. */
export const refusedAgainMs = 10_000;

/** Makes a pod of `owner`, or tells on it why the server refuses. */
export function createPod({ store }: Cluster, owner: Workload, pod: Manifest): KubeObject | undefined {
  try {
    return store.create(pod);
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    const from = `${owner.kind.toLowerCase()}-controller`;
    recordEvent(store, owner, { reason: "FailedCreate", message: `Error creating: ${thrown.message}`, from });
    return undefined;
  }
}

/** Ten letters and digits that change with the template. */
export const templateHash = (template: PodTemplate): string =>
  createHash("sha256").update(JSON.stringify(template)).digest("hex").slice(0, 10);

export const isPodReady = (pod: KubeObject): boolean =>
  digList(pod, "status", "conditions").some(
    (condition) => digText(condition, "type") === "Ready" && digText(condition, "status") === "True",
  );
