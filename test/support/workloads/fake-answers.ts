import type { KubeObject } from "../../../src/clients/kube/index.ts";
import type { Program } from "./fake-kubelet.ts";
import type { Answers } from "./fake-services.ts";

/** What metrics-server and cert-manager's webhook answer the API server. */
export const addonAnswers = (nodes: readonly string[]): Record<string, Answers> => ({
  "kube-system/metrics-server": (path) => metricsAnswers(nodes)[path],
  "cert-manager/cert-manager-webhook": (_path, body) => ({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: { uid: (body as { request?: { uid: string } } | undefined)?.request?.uid, allowed: true },
  }),
});

const metrics = "metrics.k8s.io/v1beta1";

const metricsAnswers = (nodes: readonly string[]): Record<string, unknown> => ({
  [`/apis/${metrics}`]: {
    apiVersion: "v1",
    kind: "APIResourceList",
    groupVersion: metrics,
    resources: [
      { name: "nodes", singularName: "", namespaced: false, kind: "NodeMetrics", verbs: ["get", "list"] },
    ],
  },
  [`/apis/${metrics}/nodes`]: {
    apiVersion: metrics,
    kind: "NodeMetricsList",
    metadata: {},
    items: nodes.map((name) => ({
      metadata: { name },
      timestamp: new Date().toISOString(),
      window: "15s",
      usage: { cpu: "180m", memory: "900Mi" },
    })),
  },
});

interface Webhooks extends KubeObject {
  webhooks: { clientConfig: Record<string, unknown> }[];
}

/**
 * Tells the API server whom to believe, as cert-manager's injector does: whenever the webhook is there without it. Helm
 * makes the webhook after the injector's pod, so a single look may come too early.
 */
export const injectAuthority =
  (ca: string): Program =>
  async ({ kube, signal }) => {
    const caBundle = Buffer.from(ca).toString("base64");
    const kind = { apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration" };
    for await (const { type, object } of kube.watch<Webhooks>(kind, signal)) {
      const { name } = object.metadata;
      const isDone = object.webhooks.every(({ clientConfig }) => clientConfig.caBundle === caBundle);
      if (type === "DELETED" || name !== "cert-manager-webhook" || isDone) continue;
      const webhooks = object.webhooks.map((hook) => ({
        ...hook,
        clientConfig: { ...hook.clientConfig, caBundle },
      }));
      await kube.patch({ ...kind, name }, { webhooks });
    }
  };
