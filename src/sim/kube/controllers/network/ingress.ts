import type { Site } from "../controller.ts";
import { digList, digText, type KubeObject } from "../../store/object.ts";
import { answerService } from "../../operators/program.ts";
import type { KubeStore } from "../../store/store.ts";
import { endpointsOf } from "./endpoints.ts";
import { hasCondition } from "../nodes/node-fit.ts";

/** Somebody who answers HTTP for the Ingresses of a cluster. */
export interface IngressDoor {
  answer(host: string, path: string): { status: number; body: string } | { why: "refused" };
}

/** Who answers at an address and a port of the site; undefined where no cluster has an ingress. */
export function ingressAt(site: Site, address: string, port: number): IngressDoor | undefined {
  for (const { store } of site.clusters) {
    const door = doorsOf(store).find(
      (service) => hasPort(service, port) && addressesOf(store, service).includes(address),
    );
    if (door) return { answer: (host, path) => answerAt({ site, store }, door, host, path) };
  }
  return undefined;
}

/** Services of ingress controllers, as their charts call them. */
const doorsOf = (store: KubeStore): KubeObject[] =>
  store
    .list({ apiVersion: "v1", kind: "Service" })
    .filter(
      (service) =>
        digText(service, "spec", "type") === "LoadBalancer" &&
        /^(traefik|cilium-ingress|ingress-nginx-controller)$/.test(service.metadata.name ?? ""),
    );

const hasPort = (service: KubeObject, port: number): boolean =>
  digList(service, "spec", "ports").some((item) => digText(item, "port") === String(port));

/** Its own addresses; where those are of nodes, the shared address of the control planes leads to a node as well. */
function addressesOf(store: KubeStore, service: KubeObject): string[] {
  const own = digList(service, "status", "loadBalancer", "ingress").map((item) => digText(item, "ip"));
  return own.length === 0 ? [] : [...own, ...sharedAddresses(store)];
}

const sharedAddresses = (store: KubeStore): string[] =>
  store
    .list({ apiVersion: "v1", kind: "Pod", namespace: "kube-system" })
    .filter((pod) => hasCondition(pod, "Ready"))
    .flatMap((pod) => digList(pod, "spec", "containers"))
    .filter((container) => /kube-vip/.test(digText(container, "image")))
    .flatMap((container) => digList(container, "env"))
    .filter((item) => ["address", "vip_address"].includes(digText(item, "name")))
    .map((item) => digText(item, "value"));

function answerAt(
  { site, store }: { site: Site; store: KubeStore },
  door: KubeObject,
  host: string,
  path: string,
) {
  const { namespace, name = "" } = door.metadata;
  if (endpointsOf(store, namespace, name).length === 0) return { why: "refused" as const };
  const backend = backendOf(store, host, path);
  if (!backend) return { status: 404, body: "404 page not found" };
  const service = store.find({ apiVersion: "v1", kind: "Service", ...backend });
  const [endpoint] = endpointsOf(store, backend.namespace, backend.name);
  if (!service || !endpoint) return { status: 503, body: "no available server" };
  const { code, body } = answerService(site.programs, { store, service, pod: endpoint.pod, path });
  return { status: code, body: typeof body === "string" ? body : JSON.stringify(body) };
}

function backendOf(
  store: KubeStore,
  host: string,
  path: string,
): { namespace: string; name: string } | undefined {
  for (const ingress of store.list({ apiVersion: "networking.k8s.io/v1", kind: "Ingress" })) {
    const found = digList(ingress, "spec", "rules")
      .filter((rule) => ["", host].includes(digText(rule, "host")))
      .flatMap((rule) => digList(rule, "http", "paths"))
      .find((item) => path.startsWith(digText(item, "path")));
    if (found)
      return {
        namespace: ingress.metadata.namespace ?? "",
        name: digText(found, "backend", "service", "name"),
      };
  }
  return undefined;
}
