import { isNodeReady } from "../../clients/kube/index.ts";
import { ciliumAnnouncements, ciliumKinds } from "./announcements.ts";
import { ciliumValues } from "./values.ts";
import {
  type AddonInstallation,
  notYet,
  releasePart,
  shortList,
  taintedNodes,
  valueAt,
} from "../common/index.ts";
import type { CiliumOptions } from "./options.ts";

const namespace = "kube-system";

/** Connects the pods with eBPF, and leads to services in place of kube-proxy. */
export const installation: AddonInstallation<CiliumOptions> = {
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

  async prove(kube, _input, { signal }) {
    const nodes = await kube.nodes(signal);
    const cutOff = taintedNodes(nodes, "node.cilium.io/agent-not-ready");
    if (cutOff.length > 0) return notYet(`${shortList(cutOff)} without a working agent`);
    const unready = nodes.filter((node) => !isNodeReady(node)).map((node) => node.metadata.name);
    if (unready.length > 0 || nodes.length === 0) return notYet(`${shortList(unready)} not Ready`);
    return { done: true, value: `${nodes.length} nodes are Ready` };
  },
};
