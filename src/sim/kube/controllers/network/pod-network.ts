import { digList, digText, type KubeObject } from "../../store/object.ts";
import type { Cluster } from "../controller.ts";
import { readyIn, type Endpoint } from "./endpoints.ts";
import { ingressAt } from "./ingress.ts";
import { addressOf, hasCondition } from "../nodes/node-fit.ts";
import { namesFromOutside } from "./outside-names.ts";

/** Pods that bring a node its network: they write CNI configs on their host. */
export const isNetworkPod = (pod: KubeObject): boolean =>
  digList(pod, "spec", "volumes").some((volume) =>
    /^\/(etc|opt)\/cni\b/.test(digText(volume, "hostPath", "path")),
  );

export const hasNetwork = (cluster: Cluster, node: string): boolean =>
  cluster.runtime.kubelets.get(node)?.hasOwnNetwork === true ||
  cluster.index.podsOn(node).some((pod) => isNetworkPod(pod) && hasCondition(pod, "Ready"));

/** `isOfSite`: not of the cluster, and not of the world either, but of the machines around. */
export type Answer = { addresses: string[]; isOfSite?: boolean } | { why: "no-server" | "no-such-name" };

/** Asks the cluster's DNS from inside a pod. */
export function resolveName(cluster: Cluster, from: KubeObject, name: string): Answer {
  if (/^\d+(\.\d+){3}$/.test(name)) return { addresses: [name] };
  const node = digText(from, "spec", "nodeName");
  const server = endpointsOf(cluster, "kube-system", "kube-dns").find(({ nodeName }) =>
    isPathOpen(cluster, node, nodeName),
  );
  if (cluster.faults.find("dns-broken", { node }) || !server) return { why: "no-server" };
  const bare = name.replace(/\.$/, "").replace(/\.svc(\.cluster\.local)?$/, "");
  const [service = "", namespace = from.metadata.namespace ?? "", ...more] = bare.split(".");
  const found = more.length > 0 ? undefined : findService(cluster, namespace, service);
  if (found) {
    const address = digText(found, "spec", "clusterIP");
    if (address !== "" && address !== "None") return { addresses: [address] };
    return { addresses: endpointsOf(cluster, namespace, service).map((endpoint) => endpoint.address) };
  }
  const isOutside = name.includes(".") && !/\.(svc|cluster\.local|invalid)\.?$/.test(name);
  return isOutside ? namesFromOutside(cluster, from, name) : { why: "no-such-name" };
}

/** `status` where who was reached speaks HTTP and says so. */
export type Reach = { body: string; status?: number } | { why: "timeout" | "refused" | "unknown-host" };

/** Opens a connection from inside a pod. What answers is the name of the pod that was reached, or the page at `path`. */
export function reach(cluster: Cluster, from: KubeObject, host: string, port: number, path = "/"): Reach {
  const answer = resolveName(cluster, from, host);
  if (!("addresses" in answer)) return { why: "unknown-host" };
  const address = answer.addresses[0];
  if (address === undefined) return { why: "unknown-host" };
  const node = digText(from, "spec", "nodeName");
  const service = cluster.store
    .list({ apiVersion: "v1", kind: "Service" })
    .find((candidate) => digText(candidate, "spec", "clusterIP") === address);
  if (service) return reachService(cluster, node, service, port);
  const pod = cluster.store
    .list({ apiVersion: "v1", kind: "Pod" })
    .find(
      (other) =>
        digText(other, "status", "podIP") === address && digText(other, "spec", "hostNetwork") !== "true",
    );
  if (pod) return reachPod(cluster, node, pod, port);
  const door = ingressAt(cluster.site, address, port);
  if (door) return door.answer(host, path);
  const machine = cluster.store
    .list({ apiVersion: "v1", kind: "Node" })
    .find((other) => addressOf(other) === address);
  if (machine) return { body: machine.metadata.name ?? "" };
  if (isOnSite(cluster, address)) return { why: "refused" };
  const isNobody = answer.isOfSite === true || /^10\.(42|43|96|244)\./.test(address);
  return isNobody ? { why: "timeout" } : { body: host };
}

function reachService(cluster: Cluster, node: string, service: KubeObject, port: number): Reach {
  const { name = "", namespace = "" } = service.metadata;
  if (name === "kubernetes" && namespace === "default") return { body: "kube-apiserver" };
  const isServed = digList(service, "spec", "ports").some((item) => digText(item, "port") === String(port));
  const endpoint = endpointsOf(cluster, namespace, name)[0];
  if (!endpoint || !isServed) return { why: "refused" };
  return isPathOpen(cluster, node, endpoint.nodeName) ? { body: endpoint.pod } : { why: "timeout" };
}

function reachPod(cluster: Cluster, node: string, pod: KubeObject, port: number): Reach {
  if (!isPathOpen(cluster, node, digText(pod, "spec", "nodeName"))) return { why: "timeout" };
  if (digText(pod, "status", "phase") !== "Running") return { why: "timeout" };
  const ports = digList(pod, "spec", "containers").flatMap((container) => digList(container, "ports"));
  const isServed =
    ports.length === 0 || ports.some((item) => digText(item, "containerPort") === String(port));
  return isServed ? { body: pod.metadata.name ?? "" } : { why: "refused" };
}

/** A machine of another cluster: where nothing listens, it refuses. */
const isOnSite = ({ site }: Cluster, address: string): boolean =>
  [...site.clusters].some(({ store }) =>
    store.list({ apiVersion: "v1", kind: "Node" }).some((node) => addressOf(node) === address),
  );

const isPathOpen = ({ faults }: Cluster, node: string, peer: string): boolean =>
  node === peer || faults.find("pod-network-broken", { node, peer }) === undefined;

const findService = ({ store }: Cluster, namespace: string, name: string): KubeObject | undefined =>
  store.find({ apiVersion: "v1", kind: "Service", namespace, name });

/** What stands behind a service and is ready. */
const endpointsOf = ({ index }: Cluster, namespace: string, service: string): Endpoint[] =>
  readyIn(
    index
      .inNamespace("discovery.k8s.io/v1", "EndpointSlice", namespace)
      .filter((slice) => slice.metadata.labels?.["kubernetes.io/service-name"] === service),
  );
