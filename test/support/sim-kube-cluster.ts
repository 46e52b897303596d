import { onTestFinished } from "vitest";
import { siteWithAddons } from "./addons/stand-ins.ts";
import { clusterFaults, type ClusterFault } from "../../src/sim/cluster-faults.ts";
import {
  kubeStore,
  registerNode,
  startKubelet,
  type KubeStore,
  type Manifest,
  type Site,
} from "../../src/sim/kube/index.ts";
import { logKey, runtimeOf } from "../../src/sim/kube/kubelet/runtime.ts";
import { holdControllers, type PodTimes } from "../../src/sim/kube/controllers/index.ts";
import { testTime } from "./test-time.ts";

/** What the tests of a living cluster share. */

const {
  background: clock,
  until,
  clock: { sleep },
} = testTime();
export { sleep, until };

/** Nodes as after a bootstrap without a CNI, the controllers running, what goes wrong given. */
export function cluster(
  options: {
    nodes?: string[];
    faults?: ClusterFault[];
    rotates?: boolean;
    taints?: string[];
    /** Where other clusters are; and the network of this one's nodes. */
    site?: Site;
    subnet?: string;
    times?: PodTimes;
  } = {},
) {
  const store = kubeStore(undefined, clock);
  const faults = clusterFaults(options.faults);
  store.sufferFrom(faults);
  onTestFinished(
    holdControllers(store, clock, { faults, site: options.site ?? siteWithAddons(), times: options.times }),
  );
  for (const [index, name] of (options.nodes ?? ["n-1", "n-2"]).entries()) {
    const address = `${options.subnet ?? "10.0.0"}.${index + 1}`;
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

export const everywhere = [{ operator: "Exists" }];

export const workload = (
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

export const cni = workload("DaemonSet", "cni", {
  hostNetwork: true,
  tolerations: everywhere,
  volumes: [{ name: "cni", hostPath: { path: "/etc/cni/net.d" } }],
});

export const service = (name: string, port: number, namespace = "kube-system", app = name): Manifest => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace },
  spec: { selector: { app }, ports: [{ port }] },
});

export const withNetworkAndDns = (store: KubeStore) => {
  store.create(cni);
  store.create(workload("Deployment", "kube-dns", {}, { replicas: 1 }));
  store.create(service("kube-dns", 53));
};

export const job = (
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

interface Status {
  phase?: string;
  conditions?: { type: string; status: string; reason?: string; message?: string }[];
}

export const find = (
  store: KubeStore,
  kind: string,
  name: string,
  namespace = "default",
  apiVersion = "v1",
) => store.find({ apiVersion, kind, name, namespace });
export const conditionOf = (
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
export const isNodeReady = (store: KubeStore, name: string) =>
  conditionOf(store, "Node", name, "Ready")?.status === "True";
export const messages = (store: KubeStore, reason: string) =>
  store
    .list({ apiVersion: "v1", kind: "Event" })
    .filter((event) => event["reason"] === reason)
    .map((event) => String(event["message"]));

/** Runs a job to its end and gives what it printed. */
export async function logOf(
  store: KubeStore,
  manifest: Manifest,
): Promise<{ text: string; isDone: boolean }> {
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
