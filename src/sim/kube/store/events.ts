import { createHash } from "node:crypto";
import { stampOf, type KubeObject } from "./object.ts";
import type { KubeStore } from "./store.ts";

export interface Happening {
  type?: "Normal" | "Warning";
  reason: string;
  message: string;
  /** `kubelet`, `default-scheduler`, `replicaset-controller`. */
  from: string;
  node?: string;
}

/** Tells about `object` what `kubectl describe` shows; the same again only counts up. */
export function recordEvent(store: KubeStore, object: KubeObject, happening: Happening): void {
  const { type = "Warning", reason, message, from, node } = happening;
  const namespace = object.metadata.namespace ?? "default";
  const mark = createHash("sha256")
    .update(`${object.metadata.uid} ${reason} ${message}`)
    .digest("hex")
    .slice(0, 16);
  const ref = { apiVersion: "v1", kind: "Event", namespace, name: `${object.metadata.name}.${mark}` };
  const time = stampOf(store.clock.now());
  const known = store.find(ref);
  if (known) {
    const count = Number(known["count"] ?? 1) + 1;
    store.patch(ref, "merge", { count, lastTimestamp: time }, { fieldManager: from });
    return;
  }
  const home = store.find({ apiVersion: "v1", kind: "Namespace", name: namespace });
  if (!home || home.metadata.deletionTimestamp !== undefined) return;
  store.create(
    {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: ref.name, namespace },
      involvedObject: {
        apiVersion: object.apiVersion,
        kind: object.kind,
        name: object.metadata.name,
        namespace: object.metadata.namespace,
        uid: object.metadata.uid,
      },
      type,
      reason,
      message,
      count: 1,
      firstTimestamp: time,
      lastTimestamp: time,
      eventTime: null,
      source: { component: from, host: node },
      reportingComponent: from,
      reportingInstance: node ?? "",
    },
    { fieldManager: from },
  );
}
