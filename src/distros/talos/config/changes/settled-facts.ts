import { isMap, type MachineConfigDocument } from "../config-document.ts";
import { components, imageOf, versionOfImage } from "./kubernetes-images.ts";
import { isMainDocument } from "../shapes/document-shapes.ts";

/** What a machine config says of things that a cluster cannot change while it runs, in words. */
export interface SettledFacts {
  kubernetes: string;
  podNetworks: string;
  serviceNetworks: string;
  dnsDomain: string;
  vip: string;
  /** Where the cluster's API is, as its nodes know it. */
  endpoint: string;
}

/** Read from the running config and from the wanted one alike, whatever contract wrote them and whatever was patched. */
export function settledFacts(documents: readonly MachineConfigDocument[]): SettledFacts {
  const main = documents.find(isMainDocument);
  const network = ofKind(documents, "KubeNetworkConfig")[0] ?? at(main, "cluster", "network");
  return {
    kubernetes: versionsIn(documents),
    podNetworks: words(at(network, "podSubnets")),
    serviceNetworks: words(at(network, "serviceSubnets")),
    dnsDomain: words(at(network, "dnsDomain")),
    vip: words(vipsIn(documents, main)),
    endpoint: words(
      at(ofKind(documents, "KubeClusterConfig")[0], "endpoint") ??
        at(main, "cluster", "controlPlane", "endpoint"),
    ),
  };
}

/** The versions of all parts of Kubernetes, each once: `1.36.3`. */
function versionsIn(documents: readonly MachineConfigDocument[]): string {
  const images = components.flatMap((component) => imageOf(documents, component) ?? []);
  return words([...new Set(images.flatMap((image) => versionOfImage(image) ?? []))].toSorted());
}

function vipsIn(documents: readonly MachineConfigDocument[], main: unknown): string[] {
  const links = at(main, "machine", "network", "interfaces");
  const found = (Array.isArray(links) ? links : []).flatMap((link: unknown) => {
    const vlans = at(link, "vlans");
    return [link, ...(Array.isArray(vlans) ? vlans : [])].map((each) => at(each, "vip", "ip"));
  });
  const named = ofKind(documents, "Layer2VIPConfig").map((document) => document["name"]);
  return [...found, ...named].flatMap((each) => (typeof each === "string" ? each : [])).toSorted();
}

const ofKind = (documents: readonly MachineConfigDocument[], kind: string): MachineConfigDocument[] =>
  documents.filter((document) => document["kind"] === kind);

const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((inner, key) => (isMap(inner) ? inner[key] : undefined), value);

const words = (value: unknown): string => {
  const list = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  return list.map(String).join(", ") || "none";
};
