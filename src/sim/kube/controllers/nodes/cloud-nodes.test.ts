import { expect, test } from "vitest";
import {
  cluster,
  everywhere,
  workload,
  cni,
  until,
  find,
  conditionOf,
  isNodeReady,
  messages,
} from "../../../../../test/support/sim-kube-cluster.ts";

test("nodes of an external cloud wait for its controller, which names them and their zones", async () => {
  const { store } = cluster({ taints: ["node.cloudprovider.kubernetes.io/uninitialized"] });
  store.create(cni);
  await until(() => isNodeReady(store, "n-1"));
  store.create(workload("Deployment", "web", {}, { replicas: 1 }));
  await until(() => messages(store, "FailedScheduling").length > 0);
  expect(messages(store, "FailedScheduling").join("\n")).toContain(
    "untolerated taint {node.cloudprovider.kubernetes.io/uninitialized: }",
  );
  const config = Buffer.from("clusters: [{ region: home }]").toString("base64");
  store.create({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "proxmox-cloud-controller-manager", namespace: "kube-system" },
    data: { "config.yaml": config },
  });
  const image = "ghcr.io/sergelogvinov/proxmox-cloud-controller-manager:v0.14.0";
  store.create(
    workload(
      "Deployment",
      "ccm",
      { tolerations: everywhere, containers: [{ name: "ccm", image }] },
      { replicas: 1 },
    ),
  );
  await until(() => JSON.stringify(find(store, "Node", "n-2")).includes("proxmox://home/101"));
  expect(find(store, "Node", "n-2")?.metadata.labels).toMatchObject({
    "topology.kubernetes.io/zone": "hydra",
  });
  await until(
    () => conditionOf(store, "Deployment", "web", "Available", "apps/v1", "kube-system")?.status === "True",
  );
});

test("a kubelet's request for a certificate waits for somebody to approve it", async () => {
  const { store, faults } = cluster({
    nodes: ["n-1"],
    rotates: true,
    faults: [{ kind: "csr-never-approved" }],
  });
  store.create(cni);
  const request = { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest" };
  await until(() => store.list(request).length === 1);
  const image = "ghcr.io/alex1989hu/kubelet-serving-cert-approver:0.11.0";
  store.create(
    workload("Deployment", "approver", { containers: [{ name: "approver", image }] }, { replicas: 1 }),
  );
  await until(
    () =>
      conditionOf(store, "Deployment", "approver", "Available", "apps/v1", "kube-system")?.status === "True",
  );
  expect(store.list(request)[0]?.["status"]).toEqual({});
  faults.clear();
  await until(() => JSON.stringify(store.list(request)[0]?.["status"]).includes('"certificate"'));
});

test("a service gets an address from outside once there is a pool of them", async () => {
  const { store } = cluster({ nodes: [] });
  const spec = { type: "LoadBalancer", ports: [{ port: 80 }] };
  for (const name of ["a", "b"])
    store.create({ apiVersion: "v1", kind: "Service", metadata: { name, namespace: "default" }, spec });
  const version = {
    name: "v2",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object" } },
  };
  store.create({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "ciliumloadbalancerippools.cilium.io" },
    spec: {
      group: "cilium.io",
      scope: "Cluster",
      names: { plural: "ciliumloadbalancerippools", kind: "CiliumLoadBalancerIPPool" },
      versions: [version],
    },
  });
  const blocks = [{ start: "10.0.0.60", stop: "10.0.0.61" }];
  store.create({
    apiVersion: "cilium.io/v2",
    kind: "CiliumLoadBalancerIPPool",
    metadata: { name: "lan" },
    spec: { blocks },
  });
  const given = () =>
    ["a", "b"].map((name) => /10\.0\.0\.6\d/.exec(JSON.stringify(find(store, "Service", name)))?.[0]);
  await until(() => !given().includes(undefined));
  expect(new Set(given())).toEqual(new Set(["10.0.0.60", "10.0.0.61"]));
});
