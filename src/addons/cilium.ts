import { isNodeReady } from "../clients/kube/index.ts";
import { addonVersions, type CiliumAddon } from "../spec/index.ts";
import { ciliumAnnouncements, ciliumKinds } from "./cilium-announcements.ts";
import { ciliumValues } from "./cilium-values.ts";
import { defineAddon } from "./definition.ts";
import { notYet, shortList, taintedNodes } from "./prove-nodes.ts";
import { releasePart, valueAt } from "./release-part.ts";

const namespace = "kube-system";

/** Connects the pods with eBPF, and leads to services in place of kube-proxy. */
export const cilium = defineAddon<CiliumAddon>({
  name: "cilium",
  versions: addonVersions.cilium,
  isNetwork: true,
  after: ["gateway-api-crds"],
  brings: ["gateway-api-crds"],

  parts({ addon, cluster, version }) {
    const announcements = ciliumAnnouncements(addon.options);
    return [
      releasePart(addon, {
        name: "cilium",
        namespace,
        chart: { oci: "oci://quay.io/cilium/charts/cilium" },
        version,
        values: ciliumValues(addon.options, cluster),
      }),
      ...(announcements.length === 0
        ? []
        : [
            {
              kind: "objects" as const,
              name: "announcements",
              objects: announcements.map((manifest) => ({ manifest })),
              // Its kinds are registered by its operator, not by the chart.
              awaits: ciliumKinds(announcements),
            },
          ]),
    ];
  },

  readiness({ addon }) {
    const { hubble } = addon.options;
    const deployments = [
      "cilium-operator",
      ...(hubble === "off" ? [] : ["hubble-relay"]),
      ...(hubble === "ui" ? ["hubble-ui"] : []),
    ];
    const hasEnvoy = valueAt(addon.values, "envoy.enabled") !== false;
    return {
      workloads: [
        { kind: "DaemonSet", namespace, name: "cilium" },
        ...(hasEnvoy ? [{ kind: "DaemonSet" as const, namespace, name: "cilium-envoy" }] : []),
        ...deployments.map((name) => ({ kind: "Deployment" as const, namespace, name })),
      ],
    };
  },

  async prove(kube, _input, signal) {
    const nodes = await kube.nodes(signal);
    const cutOff = taintedNodes(nodes, "node.cilium.io/agent-not-ready");
    if (cutOff.length > 0) return notYet(`${shortList(cutOff)} without a working agent`);
    const unready = nodes.filter((node) => !isNodeReady(node)).map((node) => node.metadata.name);
    if (unready.length > 0 || nodes.length === 0) return notYet(`${shortList(unready)} not Ready`);
    return { done: true, value: `${nodes.length} nodes are Ready` };
  },

  loses: "the network of all pods until another one is there and the nodes were restarted",
});
