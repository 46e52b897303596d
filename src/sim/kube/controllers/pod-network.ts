import { digList, digText, type KubeObject } from "../object.ts";
import type { Cluster } from "./controller.ts";
import { addressOf, hasCondition } from "./nodes.ts";

/** Pods that bring a node its network: they write CNI configs on their host. */
export const isNetworkPod = (pod: KubeObject): boolean =>
  digList(pod, "spec", "volumes").some((volume) =>
    /^\/(etc|opt)\/cni\b/.test(digText(volume, "hostPath", "path")),
  );

export const hasNetwork = (cluster: Cluster, node: string): boolean =>
  cluster.runtime.kubelets.get(node)?.hasOwnNetwork === true ||
  cluster.index.podsOn(node).some((pod) => isNetworkPod(pod) && hasCondition(pod, "Ready"));

export type Answer = { addresses: string[] } | { why: "no-server" | "no-such-name" };

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
  return isOutside ? { addresses: ["203.0.113.10"] } : { why: "no-such-name" };
}

export type Reach = { body: string } | { why: "timeout" | "refused" | "unknown-host" };

/** Opens a connection from inside a pod. What answers is the name of the pod that was reached. */
export function reach(cluster: Cluster, from: KubeObject, host: string, port: number): Reach {
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
  const machine = cluster.store
    .list({ apiVersion: "v1", kind: "Node" })
    .find((other) => addressOf(other) === address);
  if (machine) return { body: machine.metadata.name ?? "" };
  return /^10\.(42|43|96|244)\./.test(address) ? { why: "timeout" } : { body: host };
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

const isPathOpen = ({ faults }: Cluster, node: string, peer: string): boolean =>
  node === peer || faults.find("pod-network-broken", { node, peer }) === undefined;

const findService = ({ store }: Cluster, namespace: string, name: string): KubeObject | undefined =>
  store.find({ apiVersion: "v1", kind: "Service", namespace, name });

interface Endpoint {
  address: string;
  nodeName: string;
  pod: string;
}

/** What stands behind a service and is ready. */
function endpointsOf({ index }: Cluster, namespace: string, service: string): Endpoint[] {
  return index
    .inNamespace("discovery.k8s.io/v1", "EndpointSlice", namespace)
    .filter((slice) => slice.metadata.labels?.["kubernetes.io/service-name"] === service)
    .flatMap((slice) => digList(slice, "endpoints"))
    .filter((endpoint) => digText(endpoint, "conditions", "ready") === "true")
    .map((endpoint) => ({
      address: String(digList(endpoint, "addresses")[0] ?? ""),
      nodeName: digText(endpoint, "nodeName"),
      pod: digText(endpoint, "targetRef", "name"),
    }));
}
