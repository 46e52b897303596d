import type { KubeClient, KubeObject } from "../../src/clients/kube/index.ts";
import type { Program } from "./pretend-kubelet.ts";
import type { Answers } from "./pretend-services.ts";

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

/** Tells the API server whom to believe, as cert-manager's injector does. */
export const injectAuthority =
  (ca: string): Program =>
  async ({ kube }: { kube: KubeClient }) => {
    const ref = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      name: "cert-manager-webhook",
    };
    const found = await kube.get<Webhooks>(ref);
    const caBundle = Buffer.from(ca).toString("base64");
    const webhooks = found?.webhooks.map((hook) => ({
      ...hook,
      clientConfig: { ...hook.clientConfig, caBundle },
    }));
    if (webhooks) await kube.patch(ref, { webhooks });
  };
