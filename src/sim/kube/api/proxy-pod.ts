import type { ClusterFaults } from "../../cluster-faults.ts";
import { ApiError } from "../store/api-error.ts";
import { digText } from "../store/object.ts";
import type { ApiRequest, Reply } from "./request.ts";
import type { KubeStore } from "../store/store.ts";

const proxied = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/proxy(\/.*)?$/;

/**
 * What a pod answers to a GET that the API server passes on: `ok`, as if every port had a health page. The way to it leads
 * through the pod network, from the node the API server is on. Undefined when the call is another one.
 */
export function proxyToPod(
  store: KubeStore,
  request: ApiRequest,
  from: { node?: string | undefined; faults: ClusterFaults },
): Reply | undefined {
  const [, namespace, target] = proxied.exec(request.path) ?? [];
  if (namespace === undefined || target === undefined || request.method !== "GET") return undefined;
  const [name = "", port = "80"] = decodeURIComponent(target)
    .replace(/^https?:/, "")
    .split(":");
  const pod = store.find({ apiVersion: "v1", kind: "Pod", namespace, name });
  if (!pod) throw new ApiError(404, "NotFound", `pods "${name}" not found`);
  const peer = digText(pod, "spec", "nodeName");
  const isFar = from.node !== undefined && from.node !== peer;
  if (isFar && from.faults.find("pod-network-broken", { node: from.node, peer }))
    throw new ApiError(
      503,
      "ServiceUnavailable",
      `error trying to reach service: dial tcp ${digText(pod, "status", "podIP")}:${port}: i/o timeout`,
    );
  const isDns = pod.metadata.labels?.["k8s-app"] === "kube-dns";
  if (isDns && from.faults.find("dns-broken", { node: peer }))
    return { code: 503, body: "kubernetes", contentType: "text/plain" };
  return { code: 200, body: "OK", contentType: "text/plain" };
}
