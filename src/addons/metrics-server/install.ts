import type { KubeClient } from "../../clients/kube/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import { type AddonInstallation, notYet, releasePart, shortList } from "../common/index.ts";

const namespace = "kube-system";
const name = "metrics-server";

/** What nodes and pods use right now, for `kubectl top` and for autoscaling. */
export const installation: AddonInstallation = {
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

  async prove(kube, _input, { signal }) {
    const nodes = await kube.nodes(signal);
    const known = await measuredNodes(kube, signal);
    if (typeof known === "string") return notYet(known);
    const missing = nodes.map((node) => node.metadata.name).filter((node) => !known.has(node));
    return missing.length === 0 && nodes.length > 0
      ? { done: true, value: `${nodes.length} nodes are measured` }
      : notYet(`no figures of ${shortList(missing)} yet`);
  },
};

/** Their names, or why they cannot be had: an API behind a Service may be gone for a moment. */
async function measuredNodes(kube: KubeClient, signal: AbortSignal): Promise<Set<string> | string> {
  try {
    const { items } = await kube.list({ apiVersion: "metrics.k8s.io/v1beta1", kind: "NodeMetrics" }, signal);
    return new Set(items.map((each) => each.metadata.name));
  } catch (error) {
    if (error instanceof SlipwayError && !signal.aborted) return error.why;
    throw error;
  }
}
