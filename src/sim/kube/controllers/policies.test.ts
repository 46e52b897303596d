import { expect, test } from "vitest";
import {
  cluster,
  workload,
  service,
  withNetworkAndDns,
  until,
  find,
  conditionOf,
  messages,
} from "../../../../test/support/sim-kube-cluster.ts";

test("a webhook nobody answers for holds up what it has to see, and nothing else", async () => {
  const { store, faults } = cluster();
  withNetworkAndDns(store);
  store.create({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "guard" },
    webhooks: [
      {
        name: "guard.example.com",
        clientConfig: { service: { name: "guard", namespace: "kube-system", path: "/check" } },
        rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
      },
    ],
  });
  const write = () =>
    store.create({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { generateName: "a-", namespace: "default" },
    });
  const before =
    'failed calling webhook "guard.example.com": failed to call webhook: Post "https://guard.kube-system.svc:443/check?timeout=10s": ';
  expect(write).toThrow(`${before}service "guard" not found`);
  store.create(service("guard", 443));
  expect(write).toThrow(`${before}no endpoints available for service "guard"`);
  store.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "free", namespace: "default" } });
  store.create(workload("Deployment", "guard", {}, { replicas: 1 }));
  await until(
    () => conditionOf(store, "Deployment", "guard", "Available", "apps/v1", "kube-system")?.status === "True",
  );
  await until(() =>
    JSON.stringify(
      find(store, "EndpointSlice", "guard-endpoints", "kube-system", "discovery.k8s.io/v1"),
    ).includes('"ready":true'),
  );
  write();
  faults.add({ kind: "webhook-down", workload: "guard" });
  expect(write).toThrow(`${before}context deadline exceeded`);
});

test("pods that ask for too much are refused, and their replica set says why", async () => {
  const { store } = cluster();
  const manifest = workload("Deployment", "agent", { hostNetwork: true }, { replicas: 1 });
  store.create({ ...manifest, metadata: { name: "agent", namespace: "default" } });
  await until(() => messages(store, "FailedCreate").length > 0);
  expect(messages(store, "FailedCreate")[0]).toMatch(
    /^Error creating: pods "agent-\w+-" is forbidden: violates PodSecurity "baseline:latest": host namespaces \(hostNetwork=true\)$/,
  );
  await until(() => conditionOf(store, "Deployment", "agent", "ReplicaFailure", "apps/v1") !== undefined);
  store.patch({ apiVersion: "v1", kind: "Namespace", name: "default" }, "merge", {
    metadata: { labels: { "pod-security.kubernetes.io/enforce": "privileged" } },
  });
  await until(() => store.list({ apiVersion: "v1", kind: "Pod" }).length === 1);
});

test("an API nobody serves keeps namespaces from going", async () => {
  const { store } = cluster({ nodes: [] });
  const spec = {
    group: "metrics.k8s.io",
    version: "v1beta1",
    service: { name: "metrics-server", namespace: "kube-system" },
  };
  const dead = { apiVersion: "apiregistration.k8s.io/v1", kind: "APIService" };
  store.create({ ...dead, metadata: { name: "v1beta1.metrics.k8s.io" }, spec });
  await until(
    () =>
      conditionOf(store, "APIService", "v1beta1.metrics.k8s.io", "Available", dead.apiVersion)?.reason ===
      "ServiceNotFound",
  );
  store.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } });
  store.delete({ apiVersion: "v1", kind: "Namespace", name: "team" });
  await until(
    () => conditionOf(store, "Namespace", "team", "NamespaceDeletionDiscoveryFailure")?.status === "True",
  );
  store.delete({ ...dead, name: "v1beta1.metrics.k8s.io" });
  await until(() => find(store, "Namespace", "team") === undefined);
});
