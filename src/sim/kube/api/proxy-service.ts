import type { ClusterFaults } from "../../cluster-faults.ts";
import { ApiError } from "../store/api-error.ts";
import { endpointsOf } from "../controllers/network/endpoints.ts";
import { digList, digText } from "../store/object.ts";
import type { ClusterProgram } from "../controllers/controller.ts";
import { answerService } from "../operators/program.ts";
import type { ApiRequest, Reply } from "./request.ts";
import type { KubeStore } from "../store/store.ts";

const proxied = /^\/api\/v1\/namespaces\/([^/]+)\/services\/([^/]+)\/proxy(\/.*)?$/;

/**
 * What stands behind a service answers a GET that the API server passes on, over the pod network from the node the API server
 * is on. Undefined when the call is another one.
 */
export function proxyToService(
  store: KubeStore,
  request: ApiRequest,
  from: { node?: string | undefined; faults: ClusterFaults; programs: readonly ClusterProgram[] },
): Reply | undefined {
  const [, namespace, target, path = "/"] = proxied.exec(request.path) ?? [];
  if (namespace === undefined || target === undefined || request.method !== "GET") return undefined;
  const id = decodeURIComponent(target);
  const [name = "", port = ""] = id.replace(/^https?:/, "").split(":");
  const service = store.find({ apiVersion: "v1", kind: "Service", namespace, name });
  if (!service) throw new ApiError(404, "NotFound", `services "${name}" not found`);
  const ports = digList(service, "spec", "ports");
  const isOffered = ports.some((item) => [digText(item, "port"), digText(item, "name")].includes(port));
  if (port !== "" && !isOffered)
    throw new ApiError(503, "ServiceUnavailable", `no service port "${port}" found for service "${id}"`);
  const [endpoint] = endpointsOf(store, namespace, name);
  if (!endpoint) throw new ApiError(503, "ServiceUnavailable", `no endpoints available for service "${id}"`);
  const isFar = from.node !== undefined && from.node !== endpoint.nodeName;
  if (isFar && from.faults.find("pod-network-broken", { node: from.node, peer: endpoint.nodeName }))
    throw new ApiError(
      503,
      "ServiceUnavailable",
      `error trying to reach service: dial tcp ${endpoint.address}:${port}: i/o timeout`,
    );
  return answerService(from.programs, { store, service, pod: endpoint.pod, path });
}
