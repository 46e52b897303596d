import { expect, test } from "vitest";
import {
  cluster,
  everywhere,
  workload,
  cni,
  service,
  withNetworkAndDns,
  job,
  until,
  find,
  conditionOf,
  isNodeReady,
  messages,
  logOf,
} from "../../../../../test/support/sim-kube-cluster.ts";

test("a node is not ready until a CNI agent is ready on it, and says so like a kubelet", async () => {
  const { store, faults } = cluster({ faults: [{ kind: "cni-not-ready", node: "n-2" }] });
  expect(conditionOf(store, "Node", "n-1", "Ready")).toMatchObject({ reason: "KubeletNotReady" });
  expect(conditionOf(store, "Node", "n-1", "Ready")?.message).toContain("cni plugin not initialized");
  store.create(workload("Deployment", "web", { tolerations: everywhere }, { replicas: 1 }));
  await until(() => messages(store, "NetworkNotReady").length > 0);
  store.create(cni);
  await until(() => isNodeReady(store, "n-1"));
  expect(isNodeReady(store, "n-2")).toBe(false);
  faults.clear();
  await until(() => isNodeReady(store, "n-2"));
});

test("a pod finds services by name and reaches pods on other nodes, until that breaks", async () => {
  const { store, faults } = cluster();
  withNetworkAndDns(store);
  store.create(
    workload("DaemonSet", "web", {
      containers: [{ name: "web", image: "web:1", ports: [{ containerPort: 80 }] }],
    }),
  );
  store.create(service("web", 80));
  const webOn = (node: string) =>
    store
      .list({
        apiVersion: "v1",
        kind: "Pod",
        labels: "app=web",
        fields: `spec.nodeName=${node},status.phase=Running`,
      })
      .map((pod) => (pod["status"] as { podIP: string }).podIP)[0];
  const isBehind = (name: string) =>
    JSON.stringify(
      find(store, "EndpointSlice", `${name}-endpoints`, "kube-system", "discovery.k8s.io/v1") ?? "",
    ).includes('"ready":true');
  await until(() => webOn("n-2") !== undefined && isBehind("web") && isBehind("kube-dns"));
  const onFirst = { nodeName: "n-1" };
  const script = `nslookup kubernetes.io\nnslookup web.kube-system\nwget -qO- http://${webOn("n-2")}/`;
  const good = await logOf(store, job("good", script, onFirst));
  expect(good).toMatchObject({ isDone: true });
  expect(good.text).toMatch(/Address: 10\.96\.\d+\.\d+\nweb-/);

  faults.add({ kind: "pod-network-broken", node: "n-2", peer: "n-1" });
  expect(await logOf(store, job("cut", `nc -zw2 ${webOn("n-2")} 80`, onFirst))).toMatchObject({
    isDone: false,
    text: expect.stringContaining("Connection timed out") as string,
  });
  faults.clear();
  faults.add({ kind: "dns-broken" });
  const lost = await logOf(store, job("lost", "nslookup web.kube-system || echo no DNS here"));
  expect(lost).toEqual({
    isDone: true,
    text: ";; connection timed out; no servers could be reached\nno DNS here\n",
  });
});
