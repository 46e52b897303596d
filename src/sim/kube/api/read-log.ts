import { ApiError, badRequest, notFound } from "../store/api-error.ts";
import { dig, digList, digText, type KubeObject } from "../store/object.ts";
import type { ApiRequest, Reply, Route } from "./request.ts";
import { logKey, runtimeOf } from "../kubelet/runtime.ts";
import type { KubeStore } from "../store/store.ts";
import { targetOf } from "./write-resources.ts";

/** What a container printed, as `kubectl logs` shows it. */
export function readLog(store: KubeStore, route: Route, request: ApiRequest): Reply {
  const pod = store.find(targetOf(route));
  if (!pod) throw notFound(route.kind, route.name ?? "");
  const name = containerOf(pod, request.query.get("container"));
  const isPrevious = request.query.get("previous") === "true";
  checkStarted(pod, name, isPrevious);
  checkKubelet(store, pod, name);
  const lines = (runtimeOf(store).logs.get(logKey(pod.metadata.uid, name)) ?? "").split("\n").slice(0, -1);
  const limit = request.query.get("tailLines");
  const shown = limit === null ? lines : lines.slice(Math.max(0, lines.length - Number(limit)));
  const body = shown.map((line) => `${line}\n`).join("");
  return { code: 200, body, contentType: "text/plain" };
}

function containerOf(pod: KubeObject, asked: string | null): string {
  const names = [...digList(pod, "spec", "containers"), ...digList(pod, "spec", "initContainers")].map(
    (item) => digText(item, "name"),
  );
  const own = digList(pod, "spec", "containers").map((item) => digText(item, "name"));
  if (asked !== null) {
    if (!names.includes(asked))
      throw badRequest(`container ${asked} is not valid for pod ${pod.metadata.name}`);
    return asked;
  }
  if (own.length !== 1)
    throw badRequest(
      `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${own.join(" ")}]`,
    );
  return own[0] ?? "";
}

function checkStarted(pod: KubeObject, name: string, isPrevious: boolean): void {
  const status = [
    ...digList(pod, "status", "containerStatuses"),
    ...digList(pod, "status", "initContainerStatuses"),
  ].find((item) => digText(item, "name") === name);
  const hasEnded = dig(status, "lastState", "terminated") !== undefined;
  if (isPrevious && !hasEnded)
    throw badRequest(`previous terminated container "${name}" in pod "${pod.metadata.name}" not found`);
  const reason = digText(status, "state", "waiting", "reason");
  if (status !== undefined && (reason === "" || hasEnded)) return;
  const why = /ImagePull/.test(reason) ? "trying and failing to pull image" : reason || "ContainerCreating";
  throw badRequest(`container "${name}" in pod "${pod.metadata.name}" is waiting to start: ${why}`);
}

/** A kubelet without a certificate cannot be asked. */
function checkKubelet(store: KubeStore, pod: KubeObject, container: string): void {
  const node = digText(pod, "spec", "nodeName");
  const request = runtimeOf(store).servingRequests.get(node);
  if (request === undefined) return;
  const asked = store.find({
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    name: request,
  });
  if (digText(asked, "status", "certificate") !== "") return;
  const { namespace, name } = pod.metadata;
  const url = `https://${digText(pod, "status", "hostIP")}:10250/containerLogs/${namespace}/${name}/${container}`;
  throw new ApiError(
    500,
    "InternalError",
    `Internal error occurred: Get "${url}": remote error: tls: internal error`,
  );
}
