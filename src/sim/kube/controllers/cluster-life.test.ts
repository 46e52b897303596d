import { expect, onTestFinished, test } from "vitest";
import { scaledClock } from "../../../lib/index.ts";
import { clusterFaults, type ClusterFault } from "../../cluster-faults.ts";
import { kubeStore, registerNode, startKubelet, type KubeStore, type Manifest } from "../index.ts";
import { logKey, runtimeOf } from "../runtime.ts";
import { holdControllers } from "./index.ts";

/** Nodes as after a bootstrap without a CNI, the controllers running, what goes wrong given. */
function cluster(
  options: { nodes?: string[]; faults?: ClusterFault[]; rotates?: boolean; taints?: string[] } = {},
) {
  const clock = scaledClock(200);
  const store = kubeStore(undefined, clock);
  const faults = clusterFaults(options.faults);
  store.sufferFrom(faults);
  onTestFinished(holdControllers(store, clock, { faults }));
  for (const [index, name] of (options.nodes ?? ["n-1", "n-2"]).entries()) {
    const address = `10.0.0.${index + 1}`;
    const rotatesServingCertificate = options.rotates ?? false;
    const machine = { vmid: String(100 + index), host: "hydra" };
    startKubelet(store, name, { address, readyAtMs: 0, rotatesServingCertificate, machine });
    registerNode(store, {
      ...{ name, address, isControlPlane: false, kubeletVersion: "1.36.3", cores: 2, memoryMiB: 2048 },
      ...{ osImage: "Talos (v1.13.9)", kernelVersion: "6.18", containerRuntime: "containerd://2.1.5" },
      taints: (options.taints ?? []).map((key) => ({ key, effect: "NoSchedule" })),
    });
  }
  return { store, faults };
}

const everywhere = [{ operator: "Exists" }];

const workload = (
  kind: string,
  name: string,
  pod: Record<string, unknown>,
  more: Record<string, unknown> = {},
): Manifest => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name, namespace: "kube-system" },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name, image: `${name}:1` }], ...pod },
    },
    ...more,
  },
});

const cni = workload("DaemonSet", "cni", {
  hostNetwork: true,
  tolerations: everywhere,
  volumes: [{ name: "cni", hostPath: { path: "/etc/cni/net.d" } }],
});

const service = (name: string, port: number, namespace = "kube-system", app = name): Manifest => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace },
  spec: { selector: { app }, ports: [{ port }] },
});

const withNetworkAndDns = (store: KubeStore) => {
  store.create(cni);
  store.create(workload("Deployment", "kube-dns", {}, { replicas: 1 }));
  store.create(service("kube-dns", 53));
};

const job = (
  name: string,
  script: string,
  pod: Record<string, unknown> = {},
  container: Record<string, unknown> = {},
): Manifest => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name, namespace: "default" },
  spec: {
    backoffLimit: 0,
    template: {
      spec: {
        restartPolicy: "Never",
        containers: [{ name: "run", image: "busybox:1.37", command: ["sh", "-ec", script], ...container }],
        ...pod,
      },
    },
  },
});

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
};

interface Status {
  phase?: string;
  conditions?: { type: string; status: string; reason?: string; message?: string }[];
}

const find = (store: KubeStore, kind: string, name: string, namespace = "default", apiVersion = "v1") =>
  store.find({ apiVersion, kind, name, namespace });
const conditionOf = (
  store: KubeStore,
  kind: string,
  name: string,
  type: string,
  apiVersion = "v1",
  namespace = "default",
) =>
  (find(store, kind, name, namespace, apiVersion)?.["status"] as Status | undefined)?.conditions?.find(
    (item) => item.type === type,
  );
const isNodeReady = (store: KubeStore, name: string) =>
  conditionOf(store, "Node", name, "Ready")?.status === "True";
const messages = (store: KubeStore, reason: string) =>
  store
    .list({ apiVersion: "v1", kind: "Event" })
    .filter((event) => event["reason"] === reason)
    .map((event) => String(event["message"]));

/** Runs a job to its end and gives what it printed. */
async function logOf(store: KubeStore, manifest: Manifest): Promise<{ text: string; isDone: boolean }> {
  const name = manifest.metadata?.name ?? "";
  store.create(manifest);
  const ended = () =>
    /Complete|Failed/.test(JSON.stringify(find(store, "Job", name, "default", "batch/v1")?.["status"] ?? ""));
  await until(ended);
  const pod = store.list({ apiVersion: "v1", kind: "Pod", labels: `job-name=${name}` })[0];
  const text = runtimeOf(store).logs.get(logKey(pod?.metadata.uid, "run")) ?? "";
  const isDone = conditionOf(store, "Job", name, "Complete", "batch/v1") !== undefined;
  return { text, isDone };
}

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
  await until(
    () =>
      webOn("n-2") !== undefined &&
      JSON.stringify(store.list({ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice" })).includes(
        "10.244",
      ),
  );
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
  await until(
    () =>
      (find(store, "Node", "n-2")?.["spec"] as { providerID?: string }).providerID === "proxmox://home/101",
  );
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
