import { ApiError, modified, notFound } from "../store/api-error.ts";
import { covers } from "../controllers/index.ts";
import { dig, digList, digNumber, digText, type KubeObject } from "../store/object.ts";
import { fieldsOfBody, type ApiRequest, type Reply, type Route } from "./request.ts";
import { refOf, type KubeStore } from "../store/store.ts";
import { targetOf } from "./write-resources.ts";

/** Pods leave by eviction during a drain, unless a budget needs them. */
export function evictPod(store: KubeStore, route: Route, request: ApiRequest): Reply {
  const options = dig(fieldsOfBody(request), "deleteOptions");
  const isDryRun =
    request.query.getAll("dryRun").includes("All") || digList(options, "dryRun").includes("All");
  const pod = store.find(targetOf(route));
  if (!pod) throw notFound(route.kind, route.name ?? "");
  const uid = digText(options, "preconditions", "uid");
  if (uid !== "" && uid !== pod.metadata.uid) throw modified(route.kind, route.name ?? "");
  if (!isIdle(pod)) weighBudgets(store, pod, isDryRun);
  if (!isDryRun) store.delete(targetOf(route));
  return {
    code: 201,
    body: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 },
  };
}

/** Nobody misses a pod that does not run. */
const isIdle = (pod: KubeObject): boolean =>
  pod.metadata.deletionTimestamp !== undefined || digText(pod, "status", "phase") !== "Running";

function weighBudgets(store: KubeStore, pod: KubeObject, isDryRun: boolean): void {
  const namespace = pod.metadata.namespace ?? "";
  const [budget, other] = store
    .list({ apiVersion: "policy/v1", kind: "PodDisruptionBudget", namespace })
    .filter((candidate) => covers(candidate, pod));
  if (!budget) return;
  if (other)
    throw new ApiError(
      500,
      "InternalError",
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  const allowed = digNumber(budget, "status", "disruptionsAllowed");
  const isCounted = digNumber(budget, "status", "observedGeneration") === budget.metadata.generation;
  if (allowed > 0 && isCounted) {
    // Two evictions at once must not both see the same room.
    if (!isDryRun)
      store.patch(
        refOf(budget),
        "merge",
        { status: { disruptionsAllowed: allowed - 1 } },
        { subresource: "status" },
      );
    return;
  }
  const needed = digText(budget, "status", "desiredHealthy");
  const healthy = digText(budget, "status", "currentHealthy");
  throw new ApiError(
    429,
    "TooManyRequests",
    "Cannot evict pod as it would violate the pod's disruption budget.",
    {
      causes: [
        {
          reason: "DisruptionBudget",
          message: isCounted
            ? `The disruption budget ${budget.metadata.name} needs ${needed} healthy pods and has ${healthy} currently`
            : `The disruption budget ${budget.metadata.name} is still being processed by the server.`,
        },
      ],
      retryAfterSeconds: isCounted ? undefined : 10,
    },
  );
}
