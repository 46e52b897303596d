import { hasCondition } from "./controllers/nodes.ts";
import type { Kind } from "./kinds.ts";
import type { KubeStore } from "./store.ts";

/** APIs that are not the server's own: a pod behind a Service answers for them. */
const aggregated = new Set(["metrics.k8s.io"]);

/** What the server answers for now: an API behind a Service only while somebody is there. */
export const servedKinds = (store: KubeStore): Kind[] =>
  store
    .kinds()
    .filter(({ group, version }) => !aggregated.has(group) || isAvailable(store, `${version}.${group}`));

function isAvailable(store: KubeStore, name: string): boolean {
  const service = store.find({ apiVersion: "apiregistration.k8s.io/v1", kind: "APIService", name });
  return service !== undefined && hasCondition(service, "Available");
}
