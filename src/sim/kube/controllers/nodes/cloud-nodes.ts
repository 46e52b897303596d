import { parse } from "yaml";
import { digList, digText, type KubeObject } from "../../store/object.ts";
import { refOf } from "../../store/store.ts";
import type { Cluster, Controller } from "../controller.ts";
import { addressOf, hasCondition, taintsOf } from "./node-fit.ts";

export const uninitialized = "node.cloudprovider.kubernetes.io/uninitialized";

/** What a cloud controller does with nodes that wait for one: identity, zone, and the taint goes. */
export const cloudNodes: Controller = {
  concerns({ object, kind, type, before }, { store }) {
    if (kind.group !== "" || type === "DELETED") return [];
    if (kind.kind === "Node") return isWaiting(object) ? [object.metadata.name ?? ""] : [];
    const isNews =
      kind.kind === "Pod" &&
      cloudOf(object) !== undefined &&
      hasCondition(object, "Ready") &&
      !(before && hasCondition(before, "Ready"));
    if (!isNews) return [];
    return store
      .list({ apiVersion: "v1", kind: "Node" })
      .filter(isWaiting)
      .map((node) => node.metadata.name ?? "");
  },
  run(name, cluster) {
    const { store } = cluster;
    const node = store.find({ apiVersion: "v1", kind: "Node", name });
    if (!node || !isWaiting(node)) return undefined;
    const controller = store
      .list({ apiVersion: "v1", kind: "Pod" })
      .find((pod) => cloudOf(pod) !== undefined && hasCondition(pod, "Ready"));
    if (!controller) return undefined;
    const isProxmox = cloudOf(controller) === "proxmox";
    const machine = cluster.runtime.machines.get(name);
    // The real one finds no instance and leaves the node as it is.
    if (isProxmox && machine === undefined) return undefined;
    const region = regionOf(cluster, controller);
    const zone = isProxmox ? (machine?.host ?? "") : "nocloud";
    const providerID = isProxmox
      ? `proxmox://${region}/${machine?.vmid}`
      : `talos://nocloud/${addressOf(node)}`;
    const labels = {
      "topology.kubernetes.io/region": region,
      "topology.kubernetes.io/zone": zone,
      ...(isProxmox
        ? { "topology.proxmox.sinextra.dev/region": region, "topology.proxmox.sinextra.dev/zone": zone }
        : { "node.cloudprovider.kubernetes.io/platform": "nocloud" }),
    };
    const left = taintsOf(node).filter((taint) => taint.key !== uninitialized);
    const spec = { providerID, taints: left.length > 0 ? left : null };
    store.patch(
      refOf(node),
      "merge",
      { metadata: { labels }, spec },
      { fieldManager: "cloud-controller-manager" },
    );
    return undefined;
  },
};

const isWaiting = (node: KubeObject): boolean => taintsOf(node).some((taint) => taint.key === uninitialized);

/** Which cloud a pod is the controller of. */
function cloudOf(pod: KubeObject): "proxmox" | "other" | undefined {
  const images = digList(pod, "spec", "containers").map((container) => digText(container, "image"));
  const image = images.find((text) => text.includes("cloud-controller-manager"));
  if (image === undefined) return undefined;
  return image.includes("proxmox") ? "proxmox" : "other";
}

/** The region its configuration names. */
function regionOf({ store }: Cluster, controller: KubeObject): string {
  const ref = {
    apiVersion: "v1",
    kind: "Secret",
    namespace: controller.metadata.namespace ?? "",
    name: "proxmox-cloud-controller-manager",
  };
  const encoded = digText(store.find(ref), "data", "config.yaml");
  const config: unknown = encoded === "" ? {} : parse(Buffer.from(encoded, "base64").toString("utf8"));
  return digText(digList(config, "clusters")[0], "region") || "region-1";
}
