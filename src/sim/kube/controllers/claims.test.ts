import { expect, test } from "vitest";
import {
  cluster,
  workload,
  withNetworkAndDns,
  job,
  until,
  find,
  conditionOf,
  messages,
  logOf,
} from "../../../../test/support/sim-kube-cluster.ts";

test("a claim is bound when its provisioner runs, and keeps what was written to it", async () => {
  const { store } = cluster();
  withNetworkAndDns(store);
  const provisioner = "nfs.csi.k8s.io";
  store.create({
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "nfs" },
    provisioner,
  });
  store.create({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data", namespace: "default" },
    spec: {
      storageClassName: "nfs",
      accessModes: ["ReadWriteMany"],
      resources: { requests: { storage: "1Gi" } },
    },
  });
  await until(() => messages(store, "ExternalProvisioning").length > 0);
  expect(messages(store, "ExternalProvisioning")[0]).toContain(
    `by the external provisioner '${provisioner}'`,
  );
  store.create(workload("Deployment", "csi-nfs-controller", { hostNetwork: true }, { replicas: 1 }));
  const mounted = {
    pod: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] },
    container: (mountPath: string) => ({ volumeMounts: [{ name: "data", mountPath }] }),
  };
  const wrote = await logOf(
    store,
    job("write", "echo hello > /data/file", mounted.pod, mounted.container("/data")),
  );
  expect(wrote.isDone).toBe(true);
  const read = await logOf(store, job("read", "cat /mnt/file", mounted.pod, mounted.container("/mnt")));
  expect(read).toEqual({ isDone: true, text: "hello\n" });
});

test("a storage that fails says so on the claim", async () => {
  const { store } = cluster({ faults: [{ kind: "provisioner-failing", workload: "nfs" }] });
  withNetworkAndDns(store);
  store.create(workload("Deployment", "csi-nfs-controller", { hostNetwork: true }, { replicas: 1 }));
  store.create({
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "nfs" },
    provisioner: "nfs.csi.k8s.io",
  });
  const metadata = { name: "data", namespace: "default" };
  store.create({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata,
    spec: { storageClassName: "nfs" },
  });
  await until(() => messages(store, "ProvisioningFailed").length > 0);
  expect(messages(store, "ProvisioningFailed")[0]).toMatch(
    /^failed to provision volume with StorageClass "nfs": rpc error/,
  );
});

test("a stateful workload has its claims, and one that never becomes ready holds the next one back", async () => {
  const { store, faults } = cluster({ faults: [{ kind: "never-ready", workload: "kube-system/db-0" }] });
  withNetworkAndDns(store);
  const volumeClaimTemplates = [{ metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"] } }];
  store.create(
    workload("Deployment", "csi-provisioner", {
      hostNetwork: true,
      containers: [{ name: "a", image: "a:1", args: ["--driver=disk.example.com"] }],
    }),
  );
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  const isDelayed = { volumeBindingMode: "WaitForFirstConsumer" };
  store.create({
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "disk", annotations },
    provisioner: "disk.example.com",
    ...isDelayed,
  });
  store.create(workload("StatefulSet", "db", {}, { replicas: 2, volumeClaimTemplates }));
  await until(() => messages(store, "Unhealthy").length > 0);
  expect(find(store, "Pod", "db-1", "kube-system")).toBeUndefined();
  faults.clear();
  await until(() => conditionOf(store, "Pod", "db-1", "Ready", "v1", "kube-system")?.status === "True");
  expect(find(store, "PersistentVolumeClaim", "data-db-1", "kube-system")).toMatchObject({
    status: { phase: "Bound" },
  });
});
