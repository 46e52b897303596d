import { digList, digText, isFields, isSame, type KubeObject } from "../../store/object.ts";
import { matchesLabels } from "../../store/selectors.ts";
import type { Change } from "../../store/storage.ts";
import { refOf } from "../../store/store.ts";
import { keyOf, refAt, type Cluster, type Controller } from "../controller.ts";
import { hasCondition } from "../nodes/node-fit.ts";
import { ownerReferences } from "../workloads/owned-pods.ts";

const slice = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice" };
const serviceName = "kubernetes.io/service-name";

/** Who stands behind a service: every pod its selector fits, ready or not. */
export const endpoints: Controller = {
  concerns(change, { index }) {
    const { object, kind } = change;
    if (kind.group !== "" || change.type === "DELETED") {
      if (kind.kind !== "Pod" || kind.group !== "") return [];
    }
    if (kind.kind === "Service") return [keyOf(object)];
    if (kind.kind !== "Pod" || !isNewsForServices(change)) return [];
    return index
      .inNamespace("v1", "Service", object.metadata.namespace)
      .filter((service) => selects(service, object) || (change.before && selects(service, change.before)))
      .map(keyOf);
  },
  run(key, cluster) {
    const { store, index } = cluster;
    const service = store.find(refAt("v1", "Service", key));
    if (!service || !hasSelector(service)) return undefined;
    const pods = index
      .inNamespace("v1", "Pod", service.metadata.namespace)
      .filter((pod) => selects(service, pod) && digText(pod, "status", "podIP") !== "" && !isOver(pod));
    const { name = "", namespace = "" } = service.metadata;
    const ref = { ...slice, namespace, name: `${name}-endpoints` };
    const content = {
      addressType: "IPv4",
      endpoints: pods.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1)).map(endpointOf),
      ports: digList(service, "spec", "ports").map((port) => portOf(port, pods)),
    };
    const found = store.find(ref);
    if (found) store.patch(refOf(found), "merge", content);
    else
      store.create({
        ...slice,
        metadata: {
          name: ref.name,
          namespace,
          labels: {
            [serviceName]: name,
            "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
          },
          ownerReferences: ownerReferences(service) ?? [],
        },
        ...content,
      });
    return undefined;
  },
};

const hasSelector = (service: KubeObject): boolean => Object.keys(selectorOf(service)).length > 0;

const selectorOf = (service: KubeObject): Record<string, string> => {
  const spec = service["spec"];
  return isFields(spec) && isFields(spec["selector"]) ? (spec["selector"] as Record<string, string>) : {};
};

const selects = (service: KubeObject, pod: KubeObject): boolean =>
  hasSelector(service) && matchesLabels({ matchLabels: selectorOf(service) }, pod.metadata.labels ?? {});

const isOver = (pod: KubeObject): boolean => /^(Succeeded|Failed)$/.test(digText(pod, "status", "phase"));

const isNewsForServices = ({ object, before, type }: Change): boolean =>
  type === "DELETED" ||
  before === undefined ||
  digText(before, "status", "podIP") !== digText(object, "status", "podIP") ||
  hasCondition(before, "Ready") !== hasCondition(object, "Ready") ||
  isOver(before) !== isOver(object) ||
  !isSame(before.metadata.labels, object.metadata.labels);

const endpointOf = (pod: KubeObject) => {
  const isReady = hasCondition(pod, "Ready");
  return {
    addresses: [digText(pod, "status", "podIP")],
    conditions: { ready: isReady, serving: isReady, terminating: false },
    nodeName: digText(pod, "spec", "nodeName"),
    targetRef: {
      kind: "Pod",
      name: pod.metadata.name,
      namespace: pod.metadata.namespace,
      uid: pod.metadata.uid,
    },
  };
};

/** A port by name is whatever the pods call so. */
function portOf(port: unknown, pods: KubeObject[]) {
  const target = digText(port, "targetPort");
  const named = pods
    .flatMap((pod) => digList(pod, "spec", "containers"))
    .flatMap((container) => digList(container, "ports"))
    .find((item) => digText(item, "name") === target);
  const number = Number(digText(named, "containerPort") || target || digText(port, "port"));
  return {
    name: digText(port, "name"),
    port: number || Number(digText(port, "port")),
    protocol: digText(port, "protocol"),
  };
}

export interface Endpoint {
  address: string;
  nodeName: string;
  pod: string;
}

/** What stands behind a service and is ready. */
export const endpointsOf = (
  store: Cluster["store"],
  namespace: string | undefined,
  service: string,
): Endpoint[] =>
  readyIn(
    store.list({
      ...slice,
      namespace,
      labels: `${serviceName}=${service}`,
    }),
  );

/** Those of slices that are ready. */
export const readyIn = (slices: KubeObject[]): Endpoint[] =>
  slices
    .flatMap((one) => digList(one, "endpoints"))
    .filter((endpoint) => digText(endpoint, "conditions", "ready") === "true")
    .map((endpoint) => ({
      address: String(digList(endpoint, "addresses")[0] ?? ""),
      nodeName: digText(endpoint, "nodeName"),
      pod: digText(endpoint, "targetRef", "name"),
    }));

/** Addresses that are ready behind a service. */
export const readyEndpoints = (
  { store }: Pick<Cluster, "store">,
  namespace: string,
  service: string,
): string[] => endpointsOf(store, namespace, service).map(({ address }) => address);
