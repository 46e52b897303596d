import { expect, test } from "vitest";
import type { KubeClient, KubePod } from "../../clients/kube/index.ts";
import { podsAtRisk } from "./pods-at-risk.ts";

const owned = (kind: string, name: string) => ({
  ownerReferences: [{ apiVersion: "apps/v1", kind, name, uid: name, controller: true }],
});

const pod = (
  name: string,
  nodeName: string,
  more: object = {},
  phase: "Running" | "Succeeded" = "Running",
): KubePod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop", ...more },
  spec: { nodeName },
  status: { phase },
});

const pods = [
  pod("web-1", "worker-1", owned("ReplicaSet", "web")),
  pod("web-2", "worker-2", owned("ReplicaSet", "web")),
  pod("orders-0", "worker-1", owned("StatefulSet", "orders")),
  pod("elsewhere-0", "worker-2", owned("StatefulSet", "elsewhere")),
  pod("debug", "worker-1"),
  pod("agent-1", "worker-1", owned("DaemonSet", "agent")),
  pod("backup-1", "worker-1", owned("Job", "backup")),
  pod("ended", "worker-1", {}, "Succeeded"),
  pod("kube-apiserver", "worker-1", { annotations: { "kubernetes.io/config.mirror": "1" } }),
];

const budget = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "web", namespace: "shop" },
  spec: { selector: { matchLabels: { app: "web" } } },
  status: { disruptionsAllowed: 0, expectedPods: 2 },
};

/** Lists what there is, and knows no other call. */
const kube = {
  list: async ({ kind, labels }: { kind: string; labels?: string }) => ({
    items:
      kind === "Pod" ? pods.filter(({ metadata }) => !labels || metadata.name?.startsWith("web")) : [budget],
  }),
} as unknown as KubeClient;

test("podsAtRisk() names what a budget keeps, what no other copy replaces, and what nobody makes again", async () => {
  const found = await podsAtRisk(kube, new Set(["worker-1"]), new AbortController().signal);
  expect(found.map(({ node, because, text }) => `${node} ${because}: ${text}`)).toEqual([
    "worker-1 closed: shop/web lets no pod go: web-1 on worker-1",
    "worker-1 unmanaged: shop/debug on worker-1",
    "worker-1 alone: shop/orders-0 on worker-1",
  ]);
});
