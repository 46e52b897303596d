import { digList, digText, stampOf, type KubeObject } from "../store/object.ts";
import { refOf } from "../store/store.ts";
import { readyEndpoints } from "./network/endpoints.ts";
import type { Cluster, Controller } from "./controller.ts";
import { hasCondition } from "./nodes/node-fit.ts";

const api = { apiVersion: "apiregistration.k8s.io/v1", kind: "APIService" };

/** An API served by a pod is available while its service has somebody ready behind it. */
export const apiServices: Controller = {
  concerns({ object, kind, type }, { store }) {
    if (kind.kind === "APIService") return type === "DELETED" ? [] : [object.metadata.name ?? ""];
    if (kind.kind !== "EndpointSlice" && !(kind.kind === "Service" && kind.group === "")) return [];
    return store
      .list(api)
      .filter((one) => digText(one, "spec", "service", "namespace") === object.metadata.namespace)
      .map((one) => one.metadata.name ?? "");
  },
  run(name, cluster) {
    const { store } = cluster;
    const one = store.find({ ...api, name });
    if (!one) return undefined;
    const { status, reason, message } = availability(cluster, one);
    const old = digList(one, "status", "conditions")[0];
    const lastTransitionTime =
      digText(old, "status") === status ? digText(old, "lastTransitionTime") : stampOf(store.clock.now());
    const conditions = [{ type: "Available", status, reason, message, lastTransitionTime }];
    store.patch(refOf(one), "merge", { status: { conditions } }, { subresource: "status" });
    return undefined;
  },
};

function availability(
  cluster: Cluster,
  one: KubeObject,
): { status: string; reason: string; message: string } {
  const name = digText(one, "spec", "service", "name");
  const namespace = digText(one, "spec", "service", "namespace");
  if (name === "")
    return { status: "True", reason: "Local", message: "Local APIServices are always available" };
  const port = digText(one, "spec", "service", "port") || "443";
  const no = (reason: string, message: string) => ({ status: "False", reason, message });
  if (!cluster.store.find({ apiVersion: "v1", kind: "Service", namespace, name }))
    return no("ServiceNotFound", `service/${name} in "${namespace}" is not present`);
  if (readyEndpoints(cluster, namespace, name).length === 0)
    return no(
      "MissingEndpoints",
      `endpoints for service/${name} in "${namespace}" have no addresses with port name "${port}"`,
    );
  return { status: "True", reason: "Passed", message: "all checks passed" };
}

/** `group/version` of the APIs nobody answers for. */
export const deadApis = ({ store }: Pick<Cluster, "store">): string[] =>
  store
    .list(api)
    .filter((one) => digText(one, "spec", "service", "name") !== "" && !hasCondition(one, "Available"))
    .map((one) => `${digText(one, "spec", "group")}/${digText(one, "spec", "version")}`);
