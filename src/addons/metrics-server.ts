import { addonVersions, type MetricsServerAddon } from "../spec/index.ts";
import { defineAddon } from "./definition.ts";
import { notYet, shortList } from "./prove-nodes.ts";
import { releasePart } from "./release-part.ts";

const namespace = "kube-system";
const name = "metrics-server";

/** What nodes and pods use right now, for `kubectl top` and for autoscaling. */
export const metricsServer = defineAddon<MetricsServerAddon>({
  name,
  versions: addonVersions[name],
  // It trusts kubelets by certificates that have to be approved first.
  after: ["kubelet-csr-approver", "proxmox-ccm"],
  brings: ["kubelet-csr-approver"],

  parts: ({ addon, version }) => [
    releasePart(addon, {
      name,
      namespace,
      chart: { repository: "https://kubernetes-sigs.github.io/metrics-server", name },
      version,
      values: {},
    }),
  ],

  readiness: () => ({
    workloads: [{ kind: "Deployment", namespace, name }],
    objects: [
      {
        apiVersion: "apiregistration.k8s.io/v1",
        kind: "APIService",
        name: "v1beta1.metrics.k8s.io",
        condition: "Available",
      },
    ],
  }),

  async prove(kube, _input, signal) {
    const [nodes, measured] = await Promise.all([
      kube.nodes(signal),
      kube.list({ apiVersion: "metrics.k8s.io/v1beta1", kind: "NodeMetrics" }, signal),
    ]);
    const known = new Set(measured.items.map((each) => each.metadata.name));
    const missing = nodes.map((node) => node.metadata.name).filter((node) => !known.has(node));
    return missing.length === 0 && nodes.length > 0
      ? { done: true, value: `${nodes.length} nodes are measured` }
      : notYet(`no figures of ${shortList(missing)} yet`);
  },
});
