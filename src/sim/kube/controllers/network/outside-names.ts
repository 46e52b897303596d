import { dig, digList, digText, isFields, type KubeObject } from "../../store/object.ts";
import type { Cluster } from "../controller.ts";

/** An address of the world, where somebody always answers. */
const somewhere = "203.0.113.10";

type Found = { addresses: string[]; isOfSite?: boolean } | { why: "no-such-name" };

/**
 * Names that are no service's: first those somebody taught CoreDNS, then what the DNS servers around the cluster know. Those
 * know every name of the world, but a name of the site, which an Ingress is to answer to, only if it was entered.
 */
export function namesFromOutside(cluster: Cluster, from: KubeObject, asked: string): Found {
  const name = asked.replace(/\.$/, "").toLowerCase();
  const node = digText(from, "spec", "nodeName");
  const workload = `${from.metadata.namespace}/${from.metadata.name}`;
  if (cluster.faults.find("name-unknown", { name, node, workload })) return { why: "no-such-name" };
  const taught = taughtNames(cluster, name);
  if (taught.length > 0) return { addresses: taught, isOfSite: true };
  const entered = cluster.site.names.get(name);
  if (entered) return { addresses: entered, isOfSite: true };
  const isOfSite = [...cluster.site.clusters].some((other) => ingressHosts(other).includes(name));
  return isOfSite ? { why: "no-such-name" } : { addresses: [somewhere] };
}

/** The main block of K3s has its `hosts` already, and CoreDNS refuses a second one: only blocks of their own teach it names. */
function taughtNames({ store }: Cluster, name: string): string[] {
  const place = { namespace: "kube-system", name: "coredns-custom" };
  const data = dig(store.find({ apiVersion: "v1", kind: "ConfigMap", ...place }), "data");
  const texts = isFields(data)
    ? Object.entries(data).flatMap(([key, text]) => (key.endsWith(".server") ? [String(text)] : []))
    : [];
  return texts
    .flatMap((text) => text.split("\n"))
    .map((line) => line.trim().toLowerCase().split(/\s+/))
    .filter(([address = "", ...names]) => /^\d+(\.\d+){3}$/.test(address) && names.includes(name))
    .map(([address = ""]) => address);
}

const ingressHosts = ({ store }: Cluster): string[] =>
  store
    .list({ apiVersion: "networking.k8s.io/v1", kind: "Ingress" })
    .flatMap((ingress) => digList(ingress, "spec", "rules"))
    .map((rule) => digText(rule, "host"));
